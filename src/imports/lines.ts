/** A file line by line, without holding it in memory, with bounds for a line and for all of it. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

export interface Line {
  /** 1-based. */
  readonly number: number;
  /** null for a line that is longer than any log's. */
  readonly text: string | null;
}

const longestLine = 64 * 1024;

/**
 * @param path a name that ends in .gz is unpacked.
 * @param most bytes of text after which reading ends.
 * @param onCut told when there was more.
 * @throws the stream's own error when the file cannot be read.
 */
export async function* readLines(path: string, most: number, onCut: () => void): AsyncGenerator<Line> {
  const file = createReadStream(path);
  const stream: Readable = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  file.on('error', (error) => stream.destroy(error));
  let rest = '';
  let overlong = false;
  let number = 0;
  let read = 0;
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream) {
      read += (chunk as Buffer).length;
      rest += decoder.decode(chunk as Buffer, { stream: true });
      let from = 0;
      for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', from)) {
        const text = rest.slice(from, end).replace(/\r$/, '');
        from = end + 1;
        yield { number: ++number, text: overlong || text.length > longestLine ? null : text };
        overlong = false;
      }
      rest = rest.slice(from);
      if (rest.length > longestLine) {
        rest = '';
        overlong = true;
      }
      if (read >= most) {
        onCut();
        return;
      }
    }
    if (rest !== '' || overlong) yield { number: ++number, text: overlong ? null : rest };
  } finally {
    file.destroy();
  }
}
