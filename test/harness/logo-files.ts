import { crc32, deflateSync } from 'node:zlib';

export interface PngParts {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly colorType?: number;
  readonly interlace?: number;
  readonly packed?: Buffer;
  readonly more?: readonly Buffer[];
}

const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function pngFile({
  width = 40,
  height = 20,
  depth = 8,
  colorType = 2,
  interlace = 0,
  packed,
  more = [],
}: PngParts = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colorType, 0, 0, interlace], 8);
  const row = Buffer.concat([
    Buffer.from([0]),
    Buffer.alloc(width * 3).map((_, at) => (at % 3 === 0 ? 200 : 20)),
  ]);
  const pixels = packed ?? deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return Buffer.concat([
    start,
    pngChunk('IHDR', header),
    ...more,
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A JPEG's frame around a few bytes that are never decoded. */
export function jpegFile({ width = 30, height = 10, components = 3 } = {}): Buffer {
  const segment = (marker: number, data: readonly number[]) =>
    Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255, ...data]);
  const comment = [...Buffer.from('taken at 51.5 north')];
  const size = [height >> 8, height & 255, width >> 8, width & 255];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, [...Buffer.from('Exif')]),
    segment(0xfe, comment),
    segment(0xc0, [8, ...size, components, ...Array.from({ length: components * 3 }, () => 1)]),
    segment(0xda, [1, 1, 0, 0, 63, 0]),
    Buffer.from([1, 2, 3, 0xff, 0xd9]),
    Buffer.from('behind its end'),
  ]);
}
