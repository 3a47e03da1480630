// Shared by the list commands: one page or all, as a table or as JSON.

import { Command, InvalidArgumentError } from 'commander';
import type { Page } from '../../sdk/src/index.ts';
import { commandIo } from './command-io.ts';
import { type Column, textTable } from './text-table.ts';

export interface ListOptions {
  readonly page: number;
  readonly limit: number;
  readonly all: boolean;
  readonly json: boolean;
}

export interface List<Item> {
  page(query: { page: number; limit: number }): Promise<Page<Item>>;
  /** Every item once, newest first. */
  each(): AsyncIterable<Item>;
}

const limitDefault = 25;
const limitMax = 100;

export function listCommand(name: string): Command {
  return new Command(name)
    .option('--page <number>', 'which page, newest first', wholeFrom(1), 1)
    .option('--limit <number>', `items on a page, up to ${limitMax}`, wholeFrom(1, limitMax), limitDefault)
    .option('--all', 'all items instead of one page', false)
    .option('--json', 'print JSON: a page, or with --all one item on each line', false);
}

export async function printList<Item>(
  list: List<Item>,
  columns: readonly Column<Item>[],
  { page, limit, all, json }: ListOptions,
): Promise<void> {
  if (all) return printAll(list, columns, json);
  const found = await list.page({ page, limit });
  if (json) {
    commandIo().stdout.write(`${JSON.stringify(found)}\n`);
    return;
  }
  const first = (found.page - 1) * found.per_page + 1;
  const part =
    found.data.length === 0
      ? `Nothing on page ${found.page}; ${found.total} in total.`
      : `${first} to ${first + found.data.length - 1} of ${found.total}`;
  if (found.data.length > 0) commandIo().stdout.write(textTable(columns, found.data));
  // On stderr, so that programs that parse the table do not see it.
  commandIo().stderr.write(`${part}\n`);
}

/** For lists without page numbers: the newest `limit` items, or all. */
export async function printNewest<Item>(
  items: AsyncIterable<Item>,
  columns: readonly Column<Item>[],
  { limit, all, json }: Omit<ListOptions, 'page'>,
): Promise<void> {
  if (all) return printAll({ each: () => items }, columns, json);
  const data: Item[] = [];
  for await (const item of items) {
    data.push(item);
    if (data.length === limit) break;
  }
  const { stdout, stderr } = commandIo();
  if (json) return void stdout.write(`${JSON.stringify({ data })}\n`);
  if (data.length > 0) stdout.write(textTable(columns, data));
  stderr.write(data.length === 0 ? 'None.\n' : `The newest ${data.length}\n`);
}

/** Prints in pieces, so that it holds at most one page in memory. */
async function printAll<Item>(
  list: Pick<List<Item>, 'each'>,
  columns: readonly Column<Item>[],
  json: boolean,
): Promise<void> {
  let piece: Item[] = [];
  let count = 0;
  const flush = () => {
    if (piece.length > 0) commandIo().stdout.write(textTable(columns, piece));
    piece = [];
  };
  for await (const item of list.each()) {
    count += 1;
    if (json) commandIo().stdout.write(`${JSON.stringify(item)}\n`);
    else piece.push(item);
    if (piece.length === limitMax) flush();
  }
  flush();
  if (!json) commandIo().stderr.write(`${count} in total\n`);
}

export function wholeFrom(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(
      max === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number from ${min} on.`
        : `It must be a whole number from ${min} to ${max}.`,
    );
  };
}

export function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}

export function listed(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
