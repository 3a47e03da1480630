// A list with filters: which of them were sent, where the page begins, and the cursor of the next one. Called by the
// routes of lists. A list without a filter is read by its page (shared/pages.ts), as it always was.
// Always true: a cursor continues the list that it came from. It is signed for the account, the list and the filters;
// anything else is refused, because what it would list is not what was asked for.

import { type ErrorCode, fieldRefusal } from '../../shared/error-catalogue.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import { parsePage } from '../../shared/pages.ts';
import type { Seal } from '../secrets/seal.ts';
import { type ListQuery, readQuery } from './list-query.ts';
import { RequestRefused } from './request-refused.ts';

export const filteredListCodes = ['invalid_filter', 'invalid_cursor'] as const satisfies ErrorCode[];

export interface FilterableList<Filter> {
  /** Its name in cursors, such as "orders". */
  readonly list: string;
  /** The parameters that filter. */
  readonly names: readonly string[];
  readonly read: (sent: ListQuery) => Filter;
}

export interface FilteredPage<Filter> {
  readonly filter: Filter;
  /** Where the page begins, in the words of whoever searches; null: the first page. */
  readonly position: string | null;
  readonly limit: number;
  /** What a page that goes on at this position is asked for with; null: there is none. */
  cursorAt(position: string | null): string | null;
}

/**
 * null: no filter and no cursor were sent, so the list is read by page number. Never null with `hasNoPages`: a CSV file, or
 * a list that is paged by cursor alone.
 *
 * @throws RequestRefused
 */
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
  { list, names, read }: FilterableList<Filter>,
  accountId: number,
  query: unknown,
  hasNoPages: boolean,
): FilteredPage<Filter> | null {
  const parameters = isJsonObject(query) ? query : {};
  const sent = [...names, 'cursor'].filter((name) => own(parameters, name) !== undefined);
  if (sent.length === 0 && !hasNoPages) return null;
  // A program that counts pages up would read the first one for ever.
  if (own(parameters, 'page') !== undefined) {
    throw new RequestRefused(
      fieldRefusal('invalid_filter', 'page', 'is not taken with a filter or as CSV: send cursor'),
    );
  }
  // What is empty is most likely a variable that was never set, and not a wish for everything. An empty cursor is where
  // a program begins that goes on with next_cursor.
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
    limit: parsePage(query).limit,
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
