/** What stored evidence of microbenchmarks must look like, by itself and inside the evidence of a job. */
import type { BenchEvidence } from '../microbench/evidence.ts';
import { checkBenchRounds } from './order.ts';
import type { Check } from './shape.ts';
import {
  above,
  amount,
  count,
  finite,
  flag,
  listOf,
  moment,
  objectOf,
  oneOf,
  optional,
  orNull,
  text,
  whole,
  wrongForm,
} from './shape.ts';
import { waiversForm } from './waiver-form.ts';

export const benchSchema: BenchEvidence['schema'] = 'tailgate-bench-evidence';
export const benchVersion: BenchEvidence['version'] = 1;

const side = objectOf({ sha: text, ref: text, how: text });

const subject = objectOf({
  name: text,
  source: oneOf('function', 'command', 'execution'),
  unit: objectOf({ kind: oneOf('time', 'rate', 'bytes', 'count', 'custom'), normalised: text, text }),
  direction: oneOf('smaller-is-better', 'bigger-is-better'),
  directionGuessed: optional(flag),
  presence: oneOf('both', 'baseline', 'candidate'),
  alone: orNull(finite),
  iterations: orNull(whole(1)),
  problem: orNull(text),
  remark: orNull(text),
});

const suite = objectOf({
  name: text,
  formats: objectOf({ baseline: orNull(text), candidate: orNull(text) }),
  warnings: listOf(objectOf({ code: text, message: text, hint: optional(text) })),
});

const measured = objectOf({
  kind: text,
  value: finite,
  samples: listOf(finite),
  cpu: orNull(finite),
  digest: orNull(text),
});
const failed = objectOf({ kind: text, reason: text });
const sideKind = objectOf({ kind: oneOf('measured', 'failed', 'unmeasured') });

const sideResult: Check = (value, path) => {
  sideKind(value, path);
  const { kind } = value as { kind: string };
  if (kind === 'measured') measured(value, path);
  if (kind === 'failed') failed(value, path);
};

const round = objectOf({
  index: count,
  phase: oneOf('measuring', 'confirming'),
  results: listOf(objectOf({ name: text, baseline: sideResult, candidate: sideResult })),
  duration: amount,
});

const form = objectOf({
  schema: oneOf(benchSchema),
  version: oneOf(benchVersion),
  createdAt: moment,
  seed: finite,
  node: orNull(text),
  revisions: objectOf({ baseline: side, candidate: side }),
  plan: objectOf({
    rounds: whole(1),
    looks: listOf(whole(1), 1),
    confirm: flag,
    confirmationRounds: count,
    tolerance: objectOf({ min: amount, detect: amount }),
    onDifferentResult: oneOf('warn', 'stop'),
    outOfTime: optional(
      objectOf({
        ended: oneOf('last-look', 'too-short', 'overrun'),
        rounds: whole(1),
        budget: amount,
        share: above(0, 1),
      }),
    ),
  }),
  waivers: optional(waiversForm),
  suites: optional(listOf(suite)),
  subjects: listOf(subject),
  rounds: listOf(round),
});

/** Every field that is judged or reported, and that they belong together. */
export const benchEvidenceForm: Check = (value, path) => {
  form(value, path);
  const { plan, subjects, rounds } = value as BenchEvidence;
  const at = (field: string): string => (path === '' ? field : `${path}.${field}`);
  const names = subjects.map((one) => one.name);
  const known = new Set(names);
  if (known.size < names.length) wrongForm(at('subjects'), names, 'names that differ');
  const ascending = plan.looks.every((look, index) => index === 0 || look > plan.looks[index - 1]!);
  if (!ascending || plan.looks.at(-1) !== plan.rounds) {
    wrongForm(
      at('plan.looks'),
      plan.looks,
      `ascending rounds, the last of them \`plan.rounds\`, ${plan.rounds}`,
    );
  }
  checkBenchRounds(value as BenchEvidence, at('rounds'));
  for (const [index, { results }] of rounds.entries()) {
    for (const [place, { name }] of results.entries()) {
      if (known.has(name)) continue;
      wrongForm(at(`rounds[${index}].results[${place}].name`), name, 'a benchmark among `subjects`');
    }
  }
};
