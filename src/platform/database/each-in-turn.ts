// For jobs over all accounts: an error with one account must not stop the work for the others, in this run or a later one.

import { DatabaseUnavailable } from './database.ts';

/** Continues after errors. @throws DatabaseUnavailable at once; otherwise the first error, after the last item */
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
