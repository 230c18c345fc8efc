import { defineConfig } from 'vitest/config';

const root = new URL('..', import.meta.url).pathname;
/** Rooms whose tests start real processes and sockets: one file at a time, so that they do not starve each other. */
const withProcesses = ['kernel', 'builds', 'service', 'load', 'github'].map(
  (room) => `test/${room}/**/*.test.ts`,
);

/** Groups run one after the other: a load test beside other work would measure that work. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'rooms',
          root,
          include: ['test/**/*.test.ts'],
          exclude: ['test/end-to-end/**', 'node_modules/**', ...withProcesses],
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
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'end-to-end',
          root,
          include: ['test/end-to-end/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
