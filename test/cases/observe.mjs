// The product's verdicts as JSON → what is kept of them. Pure.

/**
 * @param gate, bench a finished command with its verdict, `{ code, seconds, tail, json }`, `json` null when it wrote none;
 *   null when it was not run.
 * @returns `{ gate, bench, tail, bodies, findings }`. Changes are ratios, 0.05 is 5 %.
 */
export function observe(gate, bench) {
  const findings = gate?.json?.findings ?? [];
  const load = findings.filter((one) => one.metric !== 'microbenchmark');
  const micro = [
    ...findings.filter((one) => one.metric === 'microbenchmark'),
    ...(bench?.json?.findings ?? []),
  ];
  const texts = [
    ...load.map((one) => one.reason),
    ...(gate?.json?.warnings ?? []).map((warning) => warning.message),
  ];
  return {
    gate: summary(gate, gate?.json?.verdict),
    bench: summary(bench, bench?.json?.outcome),
    tail: gate?.json?.tailPercentiles ?? {},
    bodies: texts.find((text) => /\bbod(y|ies)\b/.test(text ?? '')) ?? null,
    findings: [
      ...load.map((one) => ({ route: one.scenario, judged: one.judged, ...figures(one) })),
      ...micro.map((one) => ({
        route: null,
        judged: true,
        ...figures(one),
        metric: 'microbenchmark',
        name: one.name ?? one.scenario,
      })),
    ],
  };
}

function summary(run, outcome) {
  if (run === null) return null;
  const { code, seconds, json } = run;
  return {
    exitCode: code,
    seconds: Math.round(seconds),
    outcome: outcome ?? 'not measured',
    reason: json === null ? run.tail.slice(-3).join(' ') : (json.reason ?? null),
    rounds: json?.rounds ?? null,
    seed: json?.seed ?? null,
  };
}

function figures({ metric, state, baseline, candidate, change, rounds, confirmation, reason }) {
  return {
    metric,
    state,
    baseline,
    candidate,
    kind: change.kind,
    effect: change.effect ?? change.difference ?? null,
    interval: change.interval ?? null,
    spread: change.spread ?? null,
    detectable: change.smallestDetectable ?? null,
    rounds: rounds.used,
    confirmation,
    reason,
  };
}
