// Reads a list's filters, position and limit from the query string and makes the next cursor. Unfiltered lists use page
// numbers (shared/pages.ts).
// Invariant: a cursor is signed for one account, list and set of filters, and refused with any other.

import { type ErrorCode, fieldRefusal } from '../../shared/error-catalog.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import { parsePage } from '../../shared/pages.ts';
import type { Seal } from '../secrets/seal.ts';
import { type ListQuery, readQuery } from './list-query.ts';
import { RequestRefused } from './request-refused.ts';

export const filteredListCodes = ['invalid_filter', 'invalid_cursor'] as const satisfies ErrorCode[];

export interface FilterableList<Filter> {
  readonly list: string;
  readonly names: readonly string[];
  readonly read: (sent: ListQuery) => Filter;
  /** Maximum rows of a page; absent: the maximum of all lists. */
  readonly limitMax?: number;
}

export interface FilteredPage<Filter> {
  readonly filter: Filter;
  readonly position: string | null;
  readonly limit: number;
  /** The cursor for a page that starts at this position; null at the end of the list. */
  cursorAt(position: string | null): string | null;
}

/** @returns null if the list is read by page number; never with `hasNoPages` (CSV, or cursors only) @throws RequestRefused */
export function readFilteredPage<Filter>(
  seal: Seal,
  list: FilterableList<Filter>,
  accountId: number,
  query: unknown,
  hasNoPages: true,
): FilteredPage<Filter>;
export function readFilteredPage<Filter>(
  seal: Seal,
  list: FilterableList<Filter>,
  accountId: number,
  query: unknown,
  hasNoPages: boolean,
): FilteredPage<Filter> | null;
export function readFilteredPage<Filter>(
  seal: Seal,
  { list, names, read, limitMax }: FilterableList<Filter>,
  accountId: number,
  query: unknown,
  hasNoPages: boolean,
): FilteredPage<Filter> | null {
  const parameters = isJsonObject(query) ? query : {};
  const sent = [...names, 'cursor'].filter((name) => own(parameters, name) !== undefined);
  if (sent.length === 0 && !hasNoPages) return null;
  // If `page` were ignored, a client that counts pages up would read the first page forever.
  if (own(parameters, 'page') !== undefined) {
    throw new RequestRefused(
      fieldRefusal('invalid_filter', 'page', 'is not taken with a filter or as CSV: send cursor'),
    );
  }
  // An empty filter is most likely an unset variable. An empty cursor starts a list.
  const empty = sent.find((name) => name !== 'cursor' && own(parameters, name) === '');
  if (empty !== undefined) {
    throw new RequestRefused(fieldRefusal('invalid_filter', empty, 'must not be empty'));
  }
  const filter = readQuery(
    query,
    (each) => ({ wanted: read(each), cursor: each.text('cursor') }),
    'invalid_filter',
  );
  const filters = sent.filter((name) => name !== 'cursor').map((name) => [name, own(parameters, name)]);
  const signedText = (position: string) =>
    `cursor ${JSON.stringify([list, accountId, filters.sort(), position])}`;
  const position = filter.cursor === '' ? null : positionOf(filter.cursor, seal, signedText);
  return {
    filter: filter.wanted,
    position,
    limit: parsePage(query, limitMax).limit,
    cursorAt: (next) =>
      next === null ? null : `${Buffer.from(next).toString('base64url')}.${seal.sign(signedText(next))}`,
  };
}

function positionOf(cursor: string, seal: Seal, signedText: (position: string) => string): string {
  const [, sent = '', signature = ''] = /^([\w-]{1,1200})\.([\w-]{22})$/.exec(cursor) ?? [];
  const position = Buffer.from(sent, 'base64url').toString();
  if (!seal.isSigned(signedText(position), signature)) throw new RequestRefused('invalid_cursor');
  return position;
}
