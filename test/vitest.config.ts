import { defineConfig } from 'vitest/config';

/** Every suite is a project with a name of its own; `npm test` runs the ones that need nothing but Node and git. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'rooms',
          root: new URL('..', import.meta.url).pathname,
          include: ['test/**/*.test.ts'],
          exclude: ['test/end-to-end/**', 'node_modules/**'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'end-to-end',
          root: new URL('..', import.meta.url).pathname,
          include: ['test/end-to-end/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
