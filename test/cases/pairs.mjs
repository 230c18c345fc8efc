// Pairs of published versions of one package, and what is known of each. A is the baseline, B the candidate; the source
// is the same on both sides.
//
//   run         exported functions of fixtures/operations/PACKAGE.mjs, each also a microbenchmark
//   perRequest  how often they run in a request
//   rate        requests a second at which the slower side stays below 40 % of a core
//   expected    up, same, improved, or any: no verdict is wrong but a `forbidden` one. p99 stands for the tail
//               percentile that is judged, cpu for both CPU metrics
//   size        factor of wall time an operation, measured beforehand with fresh processes on two busy cores:
//               good for direction and order of size
import { negatives } from './negatives.mjs';
import { regressions } from './regressions.mjs';

export const pairs = [...regressions, ...negatives];
