/** What a stored waiver must look like, in the evidence of a job and of microbenchmarks alone. */
import { metricNames } from '../kernel/words.ts';
import { amount, day, listOf, objectOf, oneOf, orNull, text } from './shape.ts';

export const waiversForm = listOf(
  objectOf({
    scenario: text,
    metric: oneOf(...metricNames),
    ceiling: amount,
    expires: orNull(day),
    reason: text,
    origin: text,
  }),
);
