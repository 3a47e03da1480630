// Streams an answer, such as a CSV list. An account may have two at once: each reads the database as long as its client
// takes.

import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { PerAccountConcurrency } from '../limits/per-account-concurrency.ts';

const types = {
  csv: 'text/csv; charset=utf-8',
  pdf: 'application/pdf',
  json: 'application/json; charset=utf-8',
  /** JSON that browsers save. */
  file: 'application/json; charset=utf-8',
} as const;

/** `accountId`: the account whose limit applies. `name`: the file name without extension. */
export async function sendExport(
  reply: FastifyReply,
  { exports, accountId }: { exports: PerAccountConcurrency; accountId: number },
  format: keyof typeof types,
  name: string,
  chunks: AsyncIterable<string | Buffer>,
): Promise<FastifyReply> {
  const crowded = await exports.take(accountId, reply);
  if (crowded !== null) return reply.refuse(crowded);
  const ending = format === 'file' ? 'json' : format;
  if (format !== 'json') reply.header('content-disposition', `attachment; filename="${name}.${ending}"`);
  return reply.type(types[format]).send(Readable.from(chunks));
}

const exportRows = 500;

export async function* mapPages<From, To>(
  pages: AsyncIterable<readonly From[]>,
  map: (item: From) => To,
): AsyncGenerator<readonly To[]> {
  for await (const page of pages) yield page.map(map);
}

export async function* allPages<Item, Position = string>(
  position: Position | null,
  find: (
    position: Position | null,
    limit: number,
  ) => Promise<{ items: readonly Item[]; next: Position | null }>,
): AsyncGenerator<readonly Item[]> {
  for (let next: Position | null = position, isFirst = true; isFirst || next !== null; isFirst = false) {
    const page: { items: readonly Item[]; next: Position | null } = await find(next, exportRows);
    if (page.items.length > 0) yield page.items;
    next = page.next;
  }
}
