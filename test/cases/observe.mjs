// The product's verdict as JSON → what is kept of it. Pure.

/**
 * @param run the finished gate with its verdict: `{ code, seconds, tail, json }`, `json` null when it wrote none.
 * @returns `{ gate, tail, bodies, findings }`. Changes are ratios, 0.05 is 5 %.
 */
export function observe({ code, seconds, tail, json }) {
  const findings = json?.findings ?? [];
  const isBenchmark = (one) => one.metric === 'microbenchmark';
  const texts = [
    ...findings.filter((one) => !isBenchmark(one)).map((one) => one.reason),
    ...(json?.warnings ?? []).map((warning) => warning.message),
  ];
  return {
    gate: {
      exitCode: code,
      seconds: Math.round(seconds),
      outcome: json?.verdict ?? 'not measured',
      reason: json === null ? tail.slice(-3).join(' ') : json.reason,
      rounds: json?.rounds ?? null,
      seed: json?.seed ?? null,
    },
    tail: json?.tailPercentiles ?? {},
    bodies: texts.find((text) => /\bbod(y|ies)\b/.test(text ?? '')) ?? null,
    findings: findings.map((one) => ({
      route: isBenchmark(one) ? null : one.scenario,
      name: isBenchmark(one) ? one.scenario : null,
      ...figures(one),
    })),
  };
}

function figures({ metric, judged, state, baseline, candidate, change, rounds, confirmation, reason }) {
  return {
    metric,
    judged,
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
