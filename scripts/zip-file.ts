// Writes ZIP files for downloads: the modules for billing panels and the packed clients.
// Invariant: the same files give the same bytes.

import { crc32 } from 'node:zlib';

/** A ZIP file without compression, because compressed bytes differ between zlib versions. */
export function zipFile(files: ReadonlyMap<string, Buffer>): Buffer {
  /** 1 January 1980, the earliest date that the format can hold. */
  const date = 0x0021;
  const utf8Names = 0x0800;
  const regularFile = 0o100644 << 16;
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path, 'utf8');
    const common = Buffer.alloc(26);
    common.writeUInt16LE(10, 0);
    common.writeUInt16LE(utf8Names, 2);
    common.writeUInt16LE(date, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const head = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(regularFile >>> 0, 6);
    place.writeUInt32LE(offset, 10);
    // "Made by version 2.0 on Unix", so that unpackers apply the permissions above.
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, place, name);
    parts.push(head, content);
    offset += head.length + content.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.size, 8);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}
