/** What a ramp says on standard error while it runs. */
import type { Calibration } from '../capacity/result.ts';
import type { Step } from '../capacity/step.ts';
import { assertNever } from '../kernel/errors.ts';
import type { RampEvent } from '../ramp-climb.ts';
import { liveHeader, liveLine, msText, rateText, secondsText, shareText } from '../report/ramp-view.ts';
import type { Terminal } from './command.ts';

/** What was found out about the generator before the service was asked anything. */
export const generatorLine = ({ reachPerSecond, p50Ms, p99Ms }: Calibration): string =>
  `generator: ${rateText(reachPerSecond)} reached against a responder that does nothing, p50 ${msText(p50Ms)}, p99 ${msText(p99Ms)}`;

/** The live table goes to standard error, a line a step. */
export function tellRamp(event: RampEvent, terminal: Pick<Terminal, 'tell'>): void {
  switch (event.kind) {
    case 'calibrated':
      terminal.tell(generatorLine(event.calibration));
      terminal.tell(liveHeader);
      return;
    case 'warning':
      terminal.tell(`warning: ${event.warning.message}`);
      return;
    case 'holding':
      return;
    case 'step':
      terminal.tell(liveLine(event.step, event.number));
      return;
    case 'missed-at-start':
      terminal.tell(
        `the first step already misses the objective: at ${rateText(event.step.rate)} ${missedBy(event.step)}; it is run again to be sure`,
      );
      return;
    case 'recovering':
      terminal.tell(
        `     recovery  ${rateText(event.rate).padStart(9)}  after ${secondsText(event.window.fromSeconds)}: p99 ${msText(event.window.p99Ms)}, ${shareText(event.window.errorShare)} fail`,
      );
      return;
    default:
      assertNever(event);
  }
}

/** The figures, and those of the success rate where that is too low. */
function missedBy(step: Step): string {
  const { responseTimeMs, errorShare, misses, successfulPerSecond, offeredPerSecond } = step;
  const kept = misses.includes('successful')
    ? `, ${rateText(successfulPerSecond)} of ${rateText(offeredPerSecond)} succeed`
    : '';
  return `p99 is ${msText(responseTimeMs.p99)}, ${shareText(errorShare)} fail${kept}`;
}
