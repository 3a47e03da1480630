// Finds and replaces what named an erased customer, in texts and in JSON.
// Danger: a reference can be as short as "a". So it is replaced only as a whole word, and names only where the text is about
// the customer.

import { publicId } from '../../shared/identifiers.ts';
import { isJsonObject } from '../../shared/json.ts';
import { type CustomerRow, erasedReference } from '../order-engine/records/customer-table.ts';
import type { ErasedWords } from '../order-engine/records/erasure-rows.ts';

export interface Eraser {
  /** In lower case, for a search that may find too much. */
  readonly words: readonly string[];
  /** True if the text has a reference as a whole word, or the customer's id. */
  mentions(text: string): boolean;
  /** Replaces references. */
  replaced(text: string): string;
  /** `isAbout`: the whole value is about the customer, so the name, the external id and reasons go as well. */
  erased(value: unknown, isAbout?: boolean): unknown;
}

const removed: ReadonlySet<string> = new Set(['external_ref', 'reason']);

export function createEraser(
  { accountId, number }: Pick<CustomerRow, 'accountId' | 'number'>,
  { references, name, externalRef }: ErasedWords,
): Eraser {
  const id = publicId(accountId, number);
  const erasedAs = erasedReference(accountId, number);
  const spelled = [...new Set(references.flatMap((reference) => [reference, encodeURIComponent(reference)]))];
  const wholeWord = new RegExp(
    `(?<![a-z0-9._@+-])(?:${spelled.map(escaped).join('|')})(?![a-z0-9_@+-]|\\.[a-z0-9])`,
    'gi',
  );
  const wholeId = new RegExp(`(?<![0-9])${id}(?![0-9])`);
  const hasReference = (text: string) => spelled.length > 0 && text.search(wholeWord) !== -1;
  const replaced = (text: string) => (spelled.length > 0 ? text.replace(wholeWord, erasedAs) : text);
  const own = [name, externalRef].filter((word) => word !== null);

  function erasedText(text: string, isAbout: boolean): string {
    return isAbout && own.includes(text) ? erasedAs : replaced(text);
  }

  function erased(value: unknown, isAbout = false): unknown {
    if (typeof value === 'string') return erasedText(value, isAbout);
    if (Array.isArray(value)) return value.map((member) => erased(member, isAbout));
    if (!isJsonObject(value)) return value;
    const isAboutThem = isAbout || value['id'] === id || value['customer_id'] === id;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
        if (isAboutThem && key === 'external_ref') return [];
        if (isAboutThem && key === 'email' && typeof member === 'string') return [[key, '']];
        if (isAboutThem && removed.has(key) && typeof member === 'string') return [[key, null]];
        return [[key, erased(member, isAboutThem)]];
      }),
    );
  }

  return {
    words: [...spelled.map((word) => word.toLowerCase()), String(id)],
    mentions: (text) => hasReference(text) || wholeId.test(text),
    replaced,
    erased,
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
