/** Conductor of the report: one result, seen as view, text, JSON and exit code by every shell alike. */
import type { Overrides } from './config/overrides.ts';
import type { GateConfig } from './config/settings.ts';
import type { Evidence, RevisionRecord } from './evidence/trial.ts';
import type { GateResult } from './gate-job.ts';
import type { Nanoseconds } from './kernel/units.ts';
import type { Side } from './kernel/words.ts';
import type { PastResult, ReportContext } from './report/context.ts';
import type { Verdict } from './verdict/finding.ts';
import { conclusionOf, exitCodeOf } from './verdict/outcome.ts';

/** What only the shell knows. */
export interface Publication {
  readonly id: string;
  readonly run: ReportContext['run'];
  readonly links: ReportContext['links'];
  readonly configFile: string;
  readonly history: readonly PastResult[];
  /** How this tool is called where the reader would repeat the job, e.g. `tailgate`. */
  readonly call: string;
  /** Where the evidence can be found afterwards; null where nothing of the job is kept. */
  readonly evidenceFile: string | null;
  /** Flags that were given beside the file: a repetition needs them too. */
  readonly overrides: Overrides;
}

export const nowhere: ReportContext['links'] = { run: null, summary: null, evidence: null };

export interface Reported {
  readonly verdict: Verdict;
  readonly evidence: Evidence | null;
  readonly revisions: Readonly<Record<Side, RevisionRecord | null>>;
  readonly elapsed: Nanoseconds | null;
  readonly alone: ReportContext['measuredAlone'];
}

/** What a report is told beside verdict and evidence. */
export function contextOf(
  reported: Reported,
  config: Pick<GateConfig, 'failOn' | 'onBaselineFailure' | 'trustConfig'>,
  publication: Publication,
): ReportContext {
  const { verdict, evidence, revisions, elapsed } = reported;
  return {
    id: publication.id,
    conclusion: conclusionOf(verdict, config),
    exitCode: exitCodeOf(verdict, config),
    run: publication.run,
    links: publication.links,
    commands: {
      reproduce: reproduceCommand(evidence, revisions, publication),
      judge:
        evidence === null || publication.evidenceFile === null
          ? null
          : `${publication.call} judge ${quoted(publication.evidenceFile)}`,
    },
    revisions,
    elapsed,
    measuredAlone: reported.alone,
    configFile: publication.configFile,
    trustConfig: config.trustConfig,
    history: publication.history,
  };
}

/** The revisions of a result, whether or not it came as far as evidence. */
export function revisionsOf(result: GateResult): Reported['revisions'] {
  if (result.evidence !== null) return result.evidence.revisions;
  if (result.revisions === null) return { baseline: null, candidate: null };
  const { baseline, candidate } = result.revisions;
  return { baseline: { ...baseline, outputHash: null }, candidate: { ...candidate, outputHash: null } };
}

/** `tailgate gate --baseline SHA --seed N …`: run on the candidate's commit it repeats the job. */
function reproduceCommand(
  evidence: Evidence | null,
  revisions: Reported['revisions'],
  publication: Publication,
): string | null {
  if (revisions.baseline === null || publication.evidenceFile === null) return null;
  const given = Object.entries(publication.overrides).filter(
    ([name, value]) => value !== undefined && value !== '' && name !== 'baseline' && name !== 'seed',
  );
  const flags: readonly (readonly [string, string])[] = [
    ['baseline', revisions.baseline.sha],
    ...(evidence === null ? [] : [['seed', String(evidence.plan.seed)] as const]),
    ...given.map(([name, value]) => [name, value ?? ''] as const),
  ];
  return [publication.call, 'gate', ...flags.map(([name, value]) => `--${name} ${quoted(value)}`)].join(' ');
}

function quoted(value: string): string {
  return /^[\w./:@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
