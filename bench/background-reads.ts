// Reads beside the orders of a busy shop: three exports of a whole ledger, searches through all customers of an account, and an
// open overview page. Each starts again as soon as it has ended, the page once a second.
// Invariant: every answer is whole and has status 200; anything else fails the benchmark.

import { setTimeout as pause } from 'node:timers/promises';
import type { AgedHistory } from './aged-history.ts';
import { type Shop, signIn } from './bench-shop.ts';
import { median } from './figures.ts';

export interface BackgroundReads {
  /** Waits until the reads that are running have ended. */
  end(): Promise<ReadsDone>;
}

export interface ReadsDone {
  /** Lines of CSV per second, of all exports together. */
  readonly exportedPerSecond: number;
  /** The median duration of the searches that ended. */
  readonly searchMilliseconds: number;
}

const exportsAtOnce = 3;
const overviewMilliseconds = 1_000;
/** No customer's reference or name contains this text, so a search looks at every row. */
const soughtInVain = 'nobody-is-called-this';

export async function startBackgroundReads(shop: Shop, history: AgedHistory): Promise<BackgroundReads> {
  const get = await createGet(shop);
  const began = performance.now();
  const searches: number[] = [];
  let lines = 0;
  let isOver = false;

  async function readExports(): Promise<void> {
    while (!isOver) {
      let ownLines = 0;
      for await (const piece of await get('/v1/ledger?format=csv')) ownLines += countLines(piece);
      // An export also has a header, and may have orders that were placed meanwhile.
      if (ownLines < history.ordersOfSingle) throw new Error(`An export ended after ${ownLines} lines.`);
      lines += ownLines;
    }
  }

  async function search(): Promise<void> {
    while (!isOver) {
      const searchBegan = performance.now();
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query = new URLSearchParams({ words: soughtInVain, limit: '50', cursor });
        ({ next_cursor: cursor } = JSON.parse(await textOf(await get(`/v1/customers?${query}`))));
      }
      searches.push(performance.now() - searchBegan);
    }
  }

  async function lookAtOverview(): Promise<void> {
    while (!isOver) {
      await textOf(await get('/overview?days=30'));
      await pause(overviewMilliseconds);
    }
  }

  const all = Promise.all([
    ...Array.from({ length: exportsAtOnce }, readExports),
    search(),
    lookAtOverview(),
  ]);
  // end() reports the error. Until then it must not end the process.
  all.catch(() => undefined);
  return {
    async end() {
      isOver = true;
      await all;
      return {
        exportedPerSecond: lines / ((performance.now() - began) / 1000),
        searchMilliseconds: median(searches),
      };
    },
  };
}

type Get = (path: string) => Promise<AsyncIterable<Uint8Array>>;

async function createGet({ address }: Shop): Promise<Get> {
  const headers = await signIn(address);
  return async (path) => {
    const found = await fetch(`${address}/panel/api${path}`, { headers });
    if (found.status !== 200 || found.body === null)
      throw new Error(`GET ${path}: ${found.status} ${await found.text()}`);
    return found.body;
  };
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

const newLine = 10;

function countLines(piece: Uint8Array): number {
  let count = 0;
  for (let at = piece.indexOf(newLine); at >= 0; at = piece.indexOf(newLine, at + 1)) count += 1;
  return count;
}
