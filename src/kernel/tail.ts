/** The last lines of a stream that never ends: bounded memory and next to no work per byte, however chatty the writer. */
import { StringDecoder } from 'node:string_decoder';

export type StreamName = 'stdout' | 'stderr';

/** Characters of one line that are kept. */
export const lineClamp = 2000;
const keepBytes = 256 * 1024;
const joinBelow = 4096;

/** Keeps the raw end of both streams and makes lines of it only when somebody asks. */
export class OutputTail {
  readonly #lines: number;
  #chunks: { readonly stream: StreamName; readonly data: Buffer }[] = [];
  #size = 0;
  #dropped = false;

  /** @param lines how many lines `lines()` gives at most. */
  constructor(lines: number) {
    this.#lines = lines;
  }

  feed(stream: StreamName, data: Buffer): void {
    const last = this.#chunks.at(-1);
    const piece = data.length > keepBytes ? Buffer.from(data.subarray(data.length - keepBytes)) : data;
    if (last !== undefined && last.stream === stream && last.data.length + piece.length <= joinBelow) {
      this.#chunks[this.#chunks.length - 1] = { stream, data: Buffer.concat([last.data, piece]) };
    } else {
      this.#chunks.push({ stream, data: piece });
    }
    this.#size += piece.length;
    if (piece.length < data.length) this.#dropped = true;
    // Shifting in bulk: once per quarter megabyte, not once per chunk.
    if (this.#size > 2 * keepBytes || this.#chunks.length > 4096) this.#trim();
  }

  /** The last lines, oldest first; a line longer than `lineClamp` ends in `…`. */
  lines(): readonly string[] {
    const found: string[] = [];
    const splitters: Record<StreamName, LineSplitter> = {
      stdout: new LineSplitter((line) => found.push(line)),
      stderr: new LineSplitter((line) => found.push(line)),
    };
    for (const chunk of this.#chunks) splitters[chunk.stream].feed(chunk.data);
    splitters.stdout.end();
    splitters.stderr.end();
    // The oldest line may have lost its beginning.
    if (this.#dropped && found.length > this.#lines) found.shift();
    return found.slice(-this.#lines);
  }

  #trim(): void {
    let from = 0;
    let size = this.#size;
    while (from < this.#chunks.length - 1 && (size > keepBytes || this.#chunks.length - from > 2048)) {
      size -= this.#chunks[from]!.data.length;
      from++;
    }
    this.#chunks = this.#chunks.slice(from);
    this.#size = size;
    this.#dropped = true;
  }
}

/** Cuts a stream of bytes into lines: UTF-8 across chunks, `\r\n` and `\n`, long lines clamped. */
export class LineSplitter {
  readonly #take: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #open = '';
  #clamped = false;

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  feed(data: Buffer): void {
    const pieces = this.#decoder.write(data).split('\n');
    for (let index = 0; index < pieces.length; index++) {
      this.#extend(pieces[index]!);
      if (index < pieces.length - 1) this.#close();
    }
  }

  /** Hands over what has no line end yet. */
  end(): void {
    this.#extend(this.#decoder.end());
    if (this.#open !== '') this.#close();
  }

  #extend(piece: string): void {
    const room = lineClamp - this.#open.length;
    if (piece.length > room) this.#clamped = true;
    if (room > 0) this.#open += piece.slice(0, room);
  }

  #close(): void {
    const line = this.#clamped ? `${this.#open}…` : this.#open;
    this.#open = '';
    this.#clamped = false;
    this.#take(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}
