// The free field 86 of MT940, in the three forms that banks use: Germany's numbered subfields (`166?00…?20…`), words
// between slashes (`/EREF/…/REMI/…`), and plain text.

import { parseIban } from './bank-account-numbers.ts';
import { type BankLine, meaningfulId } from './bank-statement.ts';
import { isGermanBatch, isGermanReturn } from './return-codes.ts';

type Details = Pick<
  BankLine,
  'payerName' | 'payerIban' | 'text' | 'reference' | 'endToEndId' | 'isReturn' | 'isUnsplitBatch'
>;

export function readDetails(lines: readonly string[]): Details {
  const [, separator] = /^\d{3}([?<>^~|#$@])(?:00|10|2\d|3\d)/.exec(lines.join('')) ?? [];
  if (separator !== undefined) return numberedSubfields(lines.join(''), separator);
  if (/^\s*\/[A-Z]{2,4}\//.test(lines.join(''))) return wordsBetweenSlashes(lines.join('\n'));
  return { ...nothing, text: lines.join('\n').trim() };
}

const nothing: Details = {
  payerName: null,
  payerIban: null,
  text: '',
  reference: null,
  endToEndId: null,
  isReturn: false,
  isUnsplitBatch: false,
};

/** Each begins a subfield of the remittance text; subfields without one continue it. */
const sepaTag = /^(EREF|KREF|MREF|BREF|RREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|BIC|PURP)\+/;

function numberedSubfields(content: string, separator: string): Details {
  const subfields = content
    .slice(3)
    .split(separator)
    .slice(1)
    // A separator that no number follows is part of the text.
    .reduce<string[]>((parts, part) => {
      const last = parts.length - 1;
      if (/^\d\d/.test(part) || last < 0) parts.push(part);
      else parts[last] += separator + part;
      return parts;
    }, []);
  const valuesOf = (wanted: RegExp) =>
    subfields.filter((part) => wanted.test(part)).map((part) => part.slice(2));

  const tagged = new Map<string, string[]>();
  let tag = 'SVWZ';
  for (const part of valuesOf(/^(?:2\d|6[0-3])/)) {
    const [match = '', found] = sepaTag.exec(part) ?? [];
    tag = found ?? tag;
    tagged.set(tag, [...(tagged.get(tag) ?? []), part.slice(match.length)]);
  }
  const idOf = (name: string) => meaningfulId(tagged.get(name)?.join(''));
  const payerName = valuesOf(/^3[23]/)
    .join('')
    .trim();
  return {
    payerName: payerName === '' ? null : payerName,
    payerIban: parseIban(valuesOf(/^31/)[0] ?? '') ?? parseIban(tagged.get('IBAN')?.join('') ?? ''),
    text: (tagged.get('SVWZ') ?? []).join('\n').trim(),
    reference: null,
    endToEndId: idOf('EREF'),
    isReturn: isGermanReturn(content.slice(0, 3)) || tagged.has('RREF'),
    isUnsplitBatch: isGermanBatch(content.slice(0, 3)),
  };
}

const words =
  'TRTP TYPE IBAN BIC NAME REMI EREF PREF RTRN CNTP ORDP BENM MARF CSID ISDT TRCD SVCL PURP OCMT CHGS ULTD ULTC UDTR UCRD';
// The bank's line ends can fall within a word.
const wordPattern = new RegExp(
  `/\\n?(${words
    .split(' ')
    .map((word) => word.split('').join('\\n?'))
    .join('|')})\\n?/`,
);

function wordsBetweenSlashes(content: string): Details {
  // With a group in the pattern, the parts alternate: word, value, word, value.
  const [, ...parts] = content.split(wordPattern);
  const values = new Map<string, string>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const word = (parts[index] ?? '').replaceAll('\n', '');
    if (!values.has(word)) values.set(word, (parts[index + 1] ?? '').trim());
  }
  const oneLine = (word: string) => (values.get(word) ?? '').replaceAll('\n', '').replace(/\/+$/, '').trim();
  // `CNTP/account/bank/name/city`
  const [account = '', , name = ''] = oneLine('CNTP').split('/');
  const payerName = oneLine('NAME') || name;
  const [, form, remittance = ''] =
    /^(?:(USTD|STRD)\/[^/]*\/)?([\s\S]*)$/.exec(values.get('REMI') ?? '') ?? [];
  return {
    payerName: payerName === '' ? null : payerName,
    payerIban: parseIban(oneLine('IBAN')) ?? parseIban(account),
    text: form === 'STRD' ? '' : remittance.replace(/\/+$/, '').trim(),
    reference: form === 'STRD' ? meaningfulId(remittance.replace(/\/+$/, '')) : null,
    endToEndId: meaningfulId(oneLine('EREF')),
    isReturn: values.has('RTRN'),
    isUnsplitBatch: false,
  };
}
