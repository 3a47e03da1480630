// Validates an uploaded logo. SVG is refused, because it can contain scripts.
// Invariant: the result is small, is a PNG or JPEG by its bytes, and was parsed to its end. Metadata, such as locations, and
// trailing bytes are removed.

import { crc32, inflateSync } from 'node:zlib';
import type { LogoImage } from '../../shared/logo-image.ts';

const logoBytesMax = 262_144;
const sideMax = 2_048;
const pixelsMax = 2_000_000;
const sidesRatioMax = 8;

/** If the logo is refused, returns a reason that continues the field's name. */
export function readLogo(sent: Buffer): LogoImage | string {
  if (sent.length > logoBytesMax) return 'must have at most 256 KiB';
  const read = isPng(sent) ? readPng(sent) : isJpeg(sent) ? readJpeg(sent) : 'must be a PNG or a JPEG';
  if (typeof read === 'string') return read;
  const { width, height } = read;
  if (width > sideMax || height > sideMax || width * height > pixelsMax) {
    return `must have at most ${sideMax} pixels a side and two million in all`;
  }
  if (Math.max(width, height) > sidesRatioMax * Math.min(width, height)) {
    return `must not have one side more than ${sidesRatioMax} times the other`;
  }
  return read;
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const brokenPng = 'is a PNG that cannot be read';
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const keptChunks = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];

function isPng(sent: Buffer): boolean {
  return sent.subarray(0, pngStart.length).equals(pngStart);
}

function readPng(sent: Buffer): LogoImage | string {
  const chunks: { readonly type: string; readonly whole: Buffer; readonly data: Buffer }[] = [];
  for (let at = pngStart.length; chunks.at(-1)?.type !== 'IEND'; ) {
    if (at + 12 > sent.length) return brokenPng;
    const end = at + 12 + sent.readUInt32BE(at);
    if (end > sent.length) return brokenPng;
    const [type, data] = [sent.toString('latin1', at + 4, at + 8), sent.subarray(at + 8, end - 4)];
    if (crc32(sent.subarray(at + 4, end - 4)) !== sent.readUInt32BE(end - 4)) return brokenPng;
    if (keptChunks.includes(type)) chunks.push({ type, whole: sent.subarray(at, end), data });
    at = end;
  }
  const header = chunks[0];
  if (header?.type !== 'IHDR' || header.data.length !== 13) return brokenPng;
  // Refuse a second header, because some readers would use the last one.
  if (chunks.filter(({ type }) => type === 'IHDR').length !== 1) return brokenPng;
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const [depth = 0, colorType = 0, , , interlace = 0] = header.data.subarray(8);
  const channels = samples[colorType];
  if (width === 0 || height === 0 || channels === undefined) return brokenPng;
  if (width > sideMax || height > sideMax) return { type: 'image/png', bytes: sent, width, height };
  if (depth > 8 || interlace !== 0) return 'is a PNG with 16 bits a colour or interlaced: save it plainly';
  if (colorType === 3 && !chunks.some(({ type }) => type === 'PLTE')) return brokenPng;
  const rowBytes = 1 + Math.ceil((width * channels * depth) / 8);
  const bytesNeeded = height * rowBytes;
  const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  try {
    const pixels = inflateSync(Buffer.concat(packed), { maxOutputLength: bytesNeeded + 1 });
    if (pixels.length !== bytesNeeded) return brokenPng;
    // The PDF writer crashes on an unknown row filter.
    for (let at = 0; at < bytesNeeded; at += rowBytes) if ((pixels[at] ?? 0) > 4) return brokenPng;
  } catch {
    return brokenPng;
  }
  const bytes = Buffer.concat([pngStart, ...chunks.map(({ whole }) => whole)]);
  return { type: 'image/png', bytes, width, height };
}

const brokenJpeg = 'is a JPEG that cannot be read';
const frameMarkers = [0xc0, 0xc1, 0xc2];
const scanMarker = 0xda;
const endMarker = 0xd9;

function isJpeg(sent: Buffer): boolean {
  return sent[0] === 0xff && sent[1] === 0xd8;
}

function readJpeg(sent: Buffer): LogoImage | string {
  const kept: Buffer[] = [sent.subarray(0, 2)];
  let size: { width: number; height: number } | null = null;
  let at = 2;
  for (;;) {
    if (sent[at] !== 0xff || at + 4 > sent.length) return brokenJpeg;
    const marker = sent[at + 1] ?? 0;
    const end = at + 2 + sent.readUInt16BE(at + 2);
    if (end > sent.length || end < at + 4) return brokenJpeg;
    if (frameMarkers.includes(marker)) {
      if (end < at + 10) return brokenJpeg;
      size = { height: sent.readUInt16BE(at + 5), width: sent.readUInt16BE(at + 7) };
      // Four components would mean CMYK.
      if (sent[at + 4] !== 8 || ![1, 3].includes(sent[at + 9] ?? 0)) return 'must be a JPEG in RGB or grey';
    }
    if (isPicture(marker)) kept.push(sent.subarray(at, end));
    at = end;
    if (marker === scanMarker) break;
  }
  const end = sent.lastIndexOf(Buffer.from([0xff, endMarker]));
  if (size === null || size.width === 0 || size.height === 0 || end < at) return brokenJpeg;
  const bytes = Buffer.concat([...kept, sent.subarray(at, end + 2)]);
  return { type: 'image/jpeg', bytes, ...size };
}

/** Whether a segment belongs to the picture. Comments and application data do not, except the first and Adobe's. */
function isPicture(marker: number): boolean {
  const isApplicationData = marker >= 0xe0 && marker <= 0xef;
  return marker !== 0xfe && (!isApplicationData || marker === 0xe0 || marker === 0xee);
}
