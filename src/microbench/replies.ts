/** Which messages of a side's process are answers: a benchmark shares its channel and may send what it likes there. */
import type { BenchOrder, BenchReply } from './protocol.ts';

type Fields = Readonly<Record<string, unknown>>;

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isDigest = (value: unknown): boolean => value === null || typeof value === 'string';
const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The reply that each order wants, and whether its fields are whole. */
const replies: Readonly<
  Record<BenchOrder['kind'], readonly [BenchReply['kind'], (reply: Fields) => boolean]>
> = {
  load: ['loaded', (reply) => isNames(reply['benchmarks'])],
  begin: ['begun', (reply) => typeof reply['isAsync'] === 'boolean' && isDigest(reply['digest'])],
  calibrate: [
    'calibrated',
    (reply) => ['iterations', 'elapsed', 'collection'].every((name) => isNumber(reply[name])),
  ],
  sample: ['sampled', (reply) => isNumber(reply['wall']) && isNumber(reply['cpu'])],
  finish: ['finished', () => true],
};

/**
 * @param waiting what the process was asked last: `start`, or an order.
 * @returns null for what nobody asked for: a benchmark's own message, or a reply that came too late.
 */
export function replyTo(
  waiting: { readonly kind: 'start' | BenchOrder['kind']; readonly id: number },
  message: unknown,
): BenchReply | null {
  if (typeof message !== 'object' || message === null) return null;
  const fields = message as Fields;
  if (waiting.kind === 'start') return fields['kind'] === 'ready' ? (message as BenchReply) : null;
  if (fields['id'] !== waiting.id) return null;
  if (fields['kind'] === 'failed') {
    return typeof fields['message'] === 'string' ? (message as BenchReply) : null;
  }
  const [kind, isWhole] = replies[waiting.kind];
  return fields['kind'] === kind && isWhole(fields) ? (message as BenchReply) : null;
}
