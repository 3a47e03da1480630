// For jobs that walk through all accounts: what is broken about one of them must not stop the work for the others, in this
// run or in any later one.

import { DatabaseUnavailable } from './database.ts';

/**
 * Does `work` for each item, one after another, whatever breaks for some of them.
 * @throws DatabaseUnavailable at once: it is away for all of them; otherwise the first error, after the last item
 */
export async function eachInTurn<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const broken: unknown[] = [];
  for await (const item of items) {
    try {
      await work(item);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      broken.push(error);
    }
  }
  if (broken.length > 0) throw broken[0];
}
