/** Archives as artifacts are stored: one packed file. */
import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive of one file, as the upload makes it. */
export function zipOf(name: string, content: string): Buffer {
  const data = Buffer.from(content);
  const packed = deflateRawSync(data);
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(crc32(data), 0);
  sizes.writeUInt32LE(packed.length, 4);
  sizes.writeUInt32LE(data.length, 8);
  const named = Buffer.from(name);
  const start = Buffer.from('504b030414000000080000000000', 'hex');
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16LE(named.length, 0);
  const local = Buffer.concat([start, sizes, lengths, named, packed]);
  const centralStart = Buffer.from('504b01021400140000000800' + '00000000', 'hex');
  const central = Buffer.concat([centralStart, sizes, lengths, Buffer.alloc(14), named]);
  const end = Buffer.alloc(22);
  end.write('504b0506', 0, 'hex');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}
