// Bytes of a bank file as text. XML says its encoding itself; other files are UTF-8 or, as older bank programs write them,
// Windows-1252, which contains Latin-1.

import { BankFileRefused } from './bank-statement.ts';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15';

/** By the names in XML declarations. Windows-1252 is Latin-1 with printable characters instead of control codes. */
const xmlEncodings: Readonly<Record<string, Encoding>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'windows-1252': 'windows-1252',
  'iso-8859-15': 'iso-8859-15',
};

/** @throws BankFileRefused */
export function decodeXml(bytes: Uint8Array): string {
  const marked = markedEncoding(bytes);
  if (marked !== null) return decode(bytes, marked);
  if (bytes[0] === 0x3c && bytes[1] === 0) return decode(bytes, 'utf-16le');
  if (bytes[0] === 0 && bytes[1] === 0x3c) return decode(bytes, 'utf-16be');
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const [, name = 'utf-8'] = /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(head) ?? [];
  const encoding = xmlEncodings[name.toLowerCase()];
  if (encoding === undefined || !Object.hasOwn(xmlEncodings, name.toLowerCase()))
    throw new BankFileRefused('bad_encoding', 1, `The encoding ${JSON.stringify(name)} is not supported.`);
  return decode(bytes, encoding);
}

/** For MT940 and CSV. @throws BankFileRefused */
export function decodePlainText(bytes: Uint8Array): string {
  const marked = markedEncoding(bytes);
  if (marked !== null) return decode(bytes, marked);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decode(bytes, 'windows-1252');
  }
}

function markedEncoding(bytes: Uint8Array): Encoding | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

function decode(bytes: Uint8Array, encoding: Encoding): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new BankFileRefused(
      'bad_encoding',
      null,
      `The file is not valid ${encoding.toUpperCase()}, the encoding it says it has.`,
    );
  }
}
