// Lists, page after page. Every list is newest first, so what is added while it is read pushes the rest towards later
// pages: the last items of a page come again as the first of the next.
// Always true: each item is given once, and none that was there at the start is left out.

export interface Page<Item> {
  data: Item[];
  /** Starts at 1. */
  page: number;
  /** Items on a full page. */
  per_page: number;
  /** Items on all pages. */
  total: number;
}

/** A page of what was looked for. */
export interface FoundPage<Item> {
  /** Of a page that is short, or empty, there may still be a next one. */
  data: Item[];
  /** Asks for the next page; null: there is no more. */
  next_cursor: string | null;
}

/** How a list that may be filtered answers: with a cursor, or by number. */
interface EitherPage<Item> {
  data: Item[];
  page?: number | undefined;
  per_page?: number | undefined;
  total?: number | undefined;
  next_cursor?: string | null | undefined;
}

export function numberedPage<Item>({
  data,
  page = 1,
  per_page = 0,
  total = 0,
}: EitherPage<Item>): Page<Item> {
  return { data, page, per_page, total };
}

export function foundPage<Item>({ data, next_cursor = null }: EitherPage<Item>): FoundPage<Item> {
  return { data, next_cursor };
}

/** Page after page by cursor: what is added meanwhile moves nothing. */
export async function* eachFound<Item>(
  getPage: (cursor: string) => Promise<FoundPage<Item>>,
): AsyncGenerator<Item, void, undefined> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: FoundPage<Item> = await getPage(cursor);
    yield* page.data;
    cursor = page.next_cursor;
  }
}

export async function* eachOf<Item>(
  getPage: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  // An item's place counted from the oldest stays the same whatever is added.
  let lastPlace = Number.POSITIVE_INFINITY;
  for (let number = 1; ; number += 1) {
    const { data, page, per_page: perPage, total } = await getPage(number);
    for (const [index, item] of data.entries()) {
      const place = total - (page - 1) * perPage - index;
      if (place >= lastPlace) continue;
      lastPlace = place;
      yield item;
    }
    if (data.length === 0 || page * perPage >= total) return;
  }
}
