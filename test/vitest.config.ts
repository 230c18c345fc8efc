import { defineConfig } from 'vitest/config';

const root = new URL('..', import.meta.url).pathname;
/** Rooms whose tests start real processes and sockets: one file at a time, so that they do not starve each other. */
const withProcesses = [
  ...['kernel', 'builds', 'service', 'load', 'github'].map((room) => `test/${room}/**/*.test.ts`),
  'test/microbench/*.test.ts',
];

/** End to end, but nothing in them depends on what is measured: two files at a time. */
const withoutMeasuring = [
  'action-ends',
  'action-judge',
  'action-self-test',
  'cli',
  'plan',
  'gate-failures',
  'gate-requests',
  'gate-services',
]
  .concat('gate-stopped', 'gate-transport', 'gate-left-out', 'identical-builds')
  .map((name) => `test/end-to-end/${name}.test.ts`);

/** What they plant is so large that one of the others beside it hides nothing: two files at a time as well. */
const coarse = ['action', 'gate-benchmarks', 'self-test'].map((name) => `test/end-to-end/${name}.test.ts`);

/** On a shared machine a process can be held up for seconds; what fails twice in a row is not the machine's doing. */
const retry = 1;

/** Groups run one after the other: a load test beside other work would measure that work. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'rooms',
          root,
          include: ['test/**/*.test.ts'],
          exclude: ['test/end-to-end/**', 'test/distribution/**', 'node_modules/**', ...withProcesses],
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'processes',
          root,
          include: withProcesses,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          retry,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'end-to-end',
          root,
          include: [...withoutMeasuring, ...coarse],
          testTimeout: 240_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          retry,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'measuring',
          root,
          include: ['test/end-to-end/**/*.test.ts'],
          exclude: [...withoutMeasuring, ...coarse],
          testTimeout: 240_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          retry,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
