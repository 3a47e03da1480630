// Iterates over paged lists. Lists are newest first, so items added meanwhile push older ones to later pages: the last
// items of a page appear again on the next.
// Invariant: each item that existed at the start comes exactly once.

export interface Page<Item> {
  data: Item[];
  page: number;
  per_page: number;
  /** The number of items on all pages. */
  total: number;
}

export interface FoundPage<Item> {
  /** A short or even empty page may have a next page. */
  data: Item[];
  /** null on the last page. */
  next_cursor: string | null;
}

interface EitherPage<Item> {
  data: Item[];
  page?: number | undefined;
  per_page?: number | undefined;
  total?: number | undefined;
  next_cursor?: string | null | undefined;
}

/** `cursor` is `next_cursor` of the previous page. */
export type Found<Query> = Omit<Query, 'page' | 'format'>;
export type Filter<Query> = Omit<Query, 'page' | 'limit' | 'cursor' | 'format'>;

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
  // An item's place counted from the oldest never changes, so an item at a higher place was seen before.
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
