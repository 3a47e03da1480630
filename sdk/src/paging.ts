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
