// XML from outside, as a stream of elements. No document types, so no entities, and no processing instructions: nothing in
// a file can grow, be fetched or be run.

import { SaxesParser } from 'saxes';
import { BankFileRefused } from './bank-statement.ts';

export interface XmlEvents {
  open(name: string, space: string, currency: string | null, line: number): void;
  text(text: string): void;
  close(): void;
}

const depthMax = 64;
const partLength = 2 ** 16;

/** Names come without their prefix. @throws BankFileRefused */
export function readStrictXml(text: string, events: XmlEvents): void {
  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  let isAtEnd = false;
  const unsafe = (what: string) =>
    new BankFileRefused('unsafe_xml', parser.line, `${what} are not allowed in a bank file.`);
  parser.on('doctype', () => {
    throw unsafe('Document types');
  });
  parser.on('processinginstruction', () => {
    throw unsafe('Processing instructions');
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    depth += 1;
    if (depth > depthMax) throw unsafe(`More than ${depthMax} elements within each other`);
    events.open(local, uri, attributes['Ccy']?.value ?? null, parser.line);
  });
  parser.on('text', (part) => events.text(part));
  parser.on('cdata', (part) => events.text(part));
  parser.on('closetag', () => {
    depth -= 1;
    events.close();
  });
  try {
    for (let start = 0; start < text.length; start += partLength)
      parser.write(text.slice(start, start + partLength));
    isAtEnd = true;
    parser.close();
  } catch (error) {
    // Not a seventh handler: with that many, V8 makes the parser a slow dictionary, and reading takes three times as long.
    throw error instanceof Error && error.constructor === Error
      ? refusalOf(error, parser.line, isAtEnd)
      : error;
  }
}

function refusalOf({ message }: Error, line: number, isAtEnd: boolean): BankFileRefused {
  const [, reason = message] = /^\d+:\d+: (.*)$/s.exec(message) ?? [];
  if (reason.startsWith('undefined entity'))
    return new BankFileRefused(
      'unsafe_xml',
      line,
      'only the five entities of XML are allowed in a bank file.',
    );
  if (isAtEnd) return new BankFileRefused('truncated', line, 'the file ends too early.');
  return new BankFileRefused('malformed', line, `this is not XML (${reason}).`);
}
