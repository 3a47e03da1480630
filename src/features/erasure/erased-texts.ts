// Finds and replaces what named an erased customer, in texts and in JSON.
// Danger: a customer may be called "a", or "package". So usernames are replaced only where the text is about the customer,
// and as whole words; elsewhere only e-mail addresses are.

import { publicId } from '../../shared/identifiers.ts';
import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import { type CustomerRow, erasedReference } from '../order-engine/records/customer-table.ts';
import type { ErasedWords } from '../order-engine/records/erasure-rows.ts';

export interface Eraser {
  /** In lower case, for a search that may find too much. */
  readonly words: readonly string[];
  /** True if the text has a reference as a whole word, or the customer's id. */
  mentions(text: string): boolean;
  replaced(text: string, isAbout: boolean): string;
  /** The path of a request that names a customer by the reference, which is its last part. */
  replacedPath(path: string): string;
  /** The data of an event. */
  erasedEvent(data: unknown): unknown;
  /** `isAbout`: name, external id and reasons go as well. */
  erased(value: unknown, isAbout: boolean): unknown;
}

export function createEraser(
  { accountId, number }: Pick<CustomerRow, 'accountId' | 'number'>,
  { references, name, externalRef }: ErasedWords,
): Eraser {
  const id = publicId(accountId, number);
  const erasedAs = erasedReference(accountId, number);
  const anyReference = wholeWords(references);
  const anyAddress = wholeWords(references.filter((reference) => reference.includes('@')));
  const wholeId = new RegExp(`(?<![0-9])${id}(?![0-9])`);
  const own = [name, externalRef].filter((word) => word !== null);

  const replaced = (text: string, isAbout: boolean) =>
    text.replace(isAbout ? anyReference : anyAddress, erasedAs);

  /** Ids of orders and customers may be equal, so the id alone says nothing. */
  function isThem(value: unknown): value is JsonObject {
    if (!isJsonObject(value) || value['id'] !== id) return false;
    const { reference } = value;
    return typeof reference === 'string' && (references.includes(reference) || reference === erasedAs);
  }

  function erased(value: unknown, isAbout: boolean): unknown {
    if (typeof value === 'string')
      return isAbout && own.includes(value) ? erasedAs : replaced(value, isAbout);
    if (Array.isArray(value)) return value.map((member) => erased(member, isAbout));
    if (!isJsonObject(value)) return value;
    const isAboutThem = isAbout || isThem(value);
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
        if (isAboutThem && key === 'external_ref') return [];
        if (isAboutThem && key === 'email' && typeof member === 'string') return [[key, '']];
        if (isAboutThem && key === 'reason' && typeof member === 'string') return [[key, null]];
        return [[key, erased(member, isAboutThem)]];
      }),
    );
  }

  return {
    words: [...new Set([...references.flatMap(spellings), String(id)])].map((word) => word.toLowerCase()),
    mentions: (text) => text.search(anyReference) !== -1 || wholeId.test(text),
    replaced,
    replacedPath(path) {
      const [, before = '', last = ''] = /^(.*\/entitlements\/)([^/]*)$/.exec(path) ?? [];
      return references.flatMap(spellings).includes(last.toLowerCase()) ? before + erasedAs : path;
    },
    erasedEvent(data) {
      const { customer = null, order = null } = isJsonObject(data) ? data : {};
      return erased(data, isThem(customer) || (isJsonObject(order) && isThem(order['customer'])));
    },
    erased,
  };
}

function spellings(reference: string): string[] {
  return [reference, encodeURIComponent(reference).toLowerCase()];
}

function wholeWords(references: readonly string[]): RegExp {
  const words = [...new Set(references.flatMap(spellings))].map((word) =>
    word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  // Without words it matches nothing.
  const any = words.length === 0 ? '(?!)' : `(?:${words.join('|')})`;
  return new RegExp(`(?<![a-z0-9._@+-])${any}(?![a-z0-9_@+-]|\\.[a-z0-9])`, 'gi');
}
