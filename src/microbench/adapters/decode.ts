/** The bytes of a result file as text, in whatever encoding a shell redirection left them. */
import { gunzipSync } from 'node:zlib';
import type { Warning } from '../../kernel/errors.ts';
import { TailgateError } from '../../kernel/errors.ts';

/** Larger files are refused: a result file holds figures, and 64 MB of them means raw samples of every iteration. */
export const benchmarkFileLimit = 64 * 1024 * 1024;

export interface DecodedText {
  /** Line ends are \n; no byte order mark, no terminal colours. */
  readonly text: string;
  readonly warnings: readonly Warning[];
}

/**
 * Decodes UTF-8, UTF-16 of both orders (with a mark or without), and Windows-1252 as a last resort, with a warning;
 * unpacks gzip, which pyperf writes.
 * @throws TailgateError usage for a file above the limit, an empty one, a binary one, broken UTF-16 and UTF-32.
 */
export function decodeText(bytes: Uint8Array, name: string): DecodedText {
  refuseLarge(bytes.length, name);
  if (bytes.length === 0) {
    throw new TailgateError({
      code: 'usage',
      message: `${name} is empty`,
      hint: 'did the benchmark command write its results there, and did it succeed?',
    });
  }
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? unpack(bytes, name) : bytes;
  if (isUtf32(plain)) {
    throw new TailgateError({
      code: 'usage',
      message: `${name} is text in UTF-32, which is not read`,
      hint: 'write it in UTF-8, or convert it: iconv -f UTF-32 -t UTF-8',
    });
  }
  const warnings: Warning[] = [];
  const encoding = encodingOf(plain);
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(plain);
  } catch {
    if (encoding !== 'utf-8') throw brokenUtf16(plain, name);
    text = new TextDecoder('windows-1252').decode(plain);
    warnings.push({
      code: 'encoding-guessed',
      message: `${name} is not ${encoding.toUpperCase()}; it was read as Windows-1252`,
    });
  }
  if (text.includes('\0')) {
    throw new TailgateError({
      code: 'usage',
      message: `${name} is a binary file, not a benchmark's text or JSON`,
      hint: 'vegeta and criterion keep binary or CBOR files beside their reports: give the report',
    });
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with the escape character
  const uncoloured = text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');
  return { text: uncoloured.replace(/\r\n?/g, '\n').replace(/^\ufeff/, ''), warnings };
}

function brokenUtf16(bytes: Uint8Array, name: string): TailgateError {
  return new TailgateError({
    code: 'usage',
    message:
      bytes.length % 2 === 1
        ? `${name} is text in UTF-16 that is cut off in the middle of a character: it has ${bytes.length} bytes, an odd number`
        : `${name} is text in UTF-16 with half a character in it`,
    hint: 'did the command end before everything was written? Write the results again, in UTF-8 where you can',
  });
}

/** Three of four bytes of UTF-32 are zero for anything in ASCII, and the first of all may be its mark. */
function isUtf32(bytes: Uint8Array): boolean {
  const head = [...bytes.subarray(0, 64 & ~3)];
  if (head.length < 8) return false;
  const little = (byte: number, index: number): boolean => (index % 4 === 0) === (byte !== 0);
  const big = (byte: number, index: number): boolean => (index % 4 === 3) === (byte !== 0);
  const marked = head.slice(0, 4).join(' ');
  if (marked === '255 254 0 0' || marked === '0 0 254 255') return true;
  return head.every(little) || head.every(big);
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // Without a mark: the figures of any result are ASCII, so every other byte of UTF-16 is zero.
  const head = bytes.subarray(0, 64);
  let evenZeros = 0;
  let oddZeros = 0;
  head.forEach((byte, index) => {
    if (byte === 0) index % 2 === 0 ? evenZeros++ : oddZeros++;
  });
  const enough = head.length / 4;
  if (oddZeros >= enough && evenZeros === 0 && oddZeros > 0) return 'utf-16le';
  if (evenZeros >= enough && oddZeros === 0 && evenZeros > 0) return 'utf-16be';
  return 'utf-8';
}

function unpack(bytes: Uint8Array, name: string): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: benchmarkFileLimit });
  } catch (cause) {
    throw new TailgateError({
      code: 'usage',
      message: `${name} is gzip, but it is broken or unpacks to more than ${benchmarkFileLimit / 1024 ** 2} MB`,
      cause,
    });
  }
}

/** @throws TailgateError usage when a file of this many bytes is above the limit; call it before reading the file. */
export function refuseLarge(size: number, name: string): void {
  if (size <= benchmarkFileLimit) return;
  throw new TailgateError({
    code: 'usage',
    message: `${name} has ${Math.ceil(size / 1024 ** 2)} MB; the limit is ${benchmarkFileLimit / 1024 ** 2} MB`,
    hint: 'leave the samples of every single iteration out of the file (tinybench: retainSamples false; mitata: samples false)',
  });
}
