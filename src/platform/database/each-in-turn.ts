// For jobs that work on every account: an error with one account must not keep the job from reaching the others.

import { DatabaseUnavailable } from './database.ts';

/** Continues with the next item after an error. @throws DatabaseUnavailable at once; after the last item, the first error */
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
