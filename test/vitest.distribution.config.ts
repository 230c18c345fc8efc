/** Suites that need servers of the distribution: run by `npm run test:distribution`, never by `npm test`. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'distribution',
    root: new URL('..', import.meta.url).pathname,
    include: ['test/distribution/**/*.distribution.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
