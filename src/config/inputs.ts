/** The inputs of the action: the one list that action.yml, the README and the reading of settings agree with. */

export interface InputDescription {
  readonly name: string;
  readonly description: string;
  /** As action.yml gives it. */
  readonly default?: string;
  /** Where its value goes in the words of tailgate.yml; null when it is no setting of a job. */
  readonly key: string | null;
}

export const inputs: readonly InputDescription[] = [
  {
    name: 'setup',
    description: 'Command that installs and builds one side, run in its worktree, such as `npm ci`.',
    key: 'setup',
  },
  {
    name: 'start',
    description:
      'Command that starts the service on the port in `PORT` (or `{port}`), such as `node server.js`.',
    key: 'start',
  },
  {
    name: 'path',
    description:
      'Path that is requested with GET, for a job with one scenario of one request; `/` by default.',
    key: 'scenarios[].path',
  },
  {
    name: 'rate',
    description: 'Requests a second, sent whether or not answers return; 300 by default.',
    key: 'rate',
  },
  {
    name: 'ready-path',
    description: 'Path that answers 2xx as soon as the service is ready; `/` by default.',
    key: 'ready.path',
  },
  {
    name: 'time-budget',
    description: 'Time for measuring and confirmation, without set-up; `4m` by default.',
    key: 'time-budget',
  },
  {
    name: 'baseline',
    description: 'What to compare with: `merge-base` (the default), `previous`, or a branch, tag or commit.',
    key: 'baseline',
  },
  {
    name: 'working-directory',
    description: 'Directory of the project, relative to the root of the repository; `.` by default.',
    key: 'working-directory',
  },
  {
    name: 'comment',
    description:
      'When to write the pull-request comment: `always`, `on-change` (the default), `on-regression` or `never`.',
    key: 'comment',
  },
  {
    name: 'fail-on',
    description:
      'What turns the job red, with commas or one a line; `regression, invalid, service-failed` by default.',
    key: 'fail-on',
  },
  {
    name: 'token',
    description: 'Token for asking for the merge-base and writing the comment. The service never sees it.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow language.
    default: '${{ github.token }}',
    key: null,
  },
  {
    name: 'mode',
    description:
      '`gate` (the default) measures and decides; `judge` decides again from what was measured at this commit; `self-test` plants slowdowns and checks that the gate sees them; `ramp` finds the capacity, or compares it with that of `baseline`, for a release with that of the tag before it.',
    key: null,
  },
  {
    name: 'objective',
    description: 'What p99 may be at most, for `mode: ramp`, such as `50ms`.',
    key: null,
  },
  {
    name: 'id',
    description: 'Tells several gates on one pull request apart: each has its own comment and artifact.',
    key: null,
  },
  {
    name: 'config',
    description: 'Configuration file; without it `tailgate.yml` is read where there is one.',
    key: null,
  },
];

export interface OutputDescription {
  readonly name: string;
  readonly description: string;
}

export const outputs: readonly OutputDescription[] = [
  {
    name: 'verdict',
    description:
      '`pass`, `regression`, `invalid`, `service-failed`, `no-baseline`, `inconclusive` or `skipped`.',
  },
  {
    name: 'conclusion',
    description: '`success`, `failure` or `neutral`: what `fail-on` made of the verdict.',
  },
  { name: 'regressions', description: 'JSON list of the rows that regressed.' },
  { name: 'improvements', description: 'JSON list of the rows that improved.' },
  { name: 'inconclusive', description: 'JSON list of the rows that stayed undecided.' },
  { name: 'accepted', description: 'JSON list of the rows that got worse and were accepted.' },
  {
    name: 'p99-change',
    description:
      'Change of p99 in percent, of the worst judged scenario; p95 or p90 where p99 was not eligible.',
  },
  { name: 'cpu-change', description: 'Change of CPU per request in percent, of the worst judged scenario.' },
  { name: 'spread', description: 'What the change of p99 had to exceed, in percent, of the same scenario.' },
  {
    name: 'smallest-detectable-change',
    description:
      'The smallest change of p99 that this job could have seen, in percent, of the same scenario.',
  },
  { name: 'baseline-sha', description: 'Commit that was the baseline.' },
  { name: 'candidate-sha', description: 'Commit that was the candidate.' },
  { name: 'report-path', description: 'File with the report in Markdown.' },
  { name: 'evidence-path', description: 'File with everything that was measured, for `tailgate judge`.' },
  {
    name: 'artifact-url',
    description: 'Where the evidence was uploaded; empty where that was not possible.',
  },
  { name: 'comment-url', description: 'The pull-request comment; empty where none was written.' },
];
