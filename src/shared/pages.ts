// Page numbers. An account's rows are numbered without gaps, so a page is a range of numbers: no OFFSET, no count(*), and
// page 100,000 costs as much as page 1.

import { isJsonObject, type JsonObject } from './json.ts';

const limitDefault = 25;
const limitMax = 100;

export interface Page {
  readonly page: number;
  readonly limit: number;
}

/** `page` and `limit` are clamped, never refused. */
export function parsePage(query: unknown, rowsMax = limitMax): Page {
  const parameters: JsonObject = isJsonObject(query) ? query : {};
  const limitNumber = wholeNumber(parameters['limit']) ?? limitDefault;
  return {
    page: Math.max(1, wholeNumber(parameters['page']) ?? 1),
    limit: limitNumber < 1 ? limitDefault : Math.min(rowsMax, limitNumber),
  };
}

/** The range of row numbers on a page, newest first; null past the end. */
export function pageRange({ page, limit }: Page, total: number): { from: number; to: number } | null {
  const to = total - (page - 1) * limit;
  return to < 1 ? null : { from: Math.max(1, to - limit + 1), to };
}

export function pageAnswer<Item>(data: readonly Item[], { page, limit }: Page, total: number) {
  return { data, page, per_page: limit, total };
}

function wholeNumber(value: unknown): number | null {
  if (typeof value !== 'string' || !/^[+-]?\d+$/.test(value)) return null;
  return Math.min(Number.MAX_SAFE_INTEGER, Number(value));
}
