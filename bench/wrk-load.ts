// The load generator wrk: one thread, with a Lua script that is written for each load.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../src/shared/json.ts';
import type { Stage } from './bench-stage.ts';
import {
  answerSeconds,
  beginningText,
  bulkPath,
  expectAllAnswered,
  type GetRequests,
  type Load,
  type LoadGenerator,
  type LoadResult,
  type OrderRequests,
  orderBody,
  orderInBulk,
  ordersInBulk,
  ordersPath,
  uniqueText,
} from './load.ts';

export function createWrkGenerator(stage: Stage, program: string, version: string): LoadGenerator {
  const folder = stage.folder('wrk');
  let scripts = 0;
  return {
    description: `wrk ${version}, one thread`,
    async run(load) {
      // Each load has its own script, because loads may run beside each other.
      scripts += 1;
      const script = join(folder, `load-${scripts}.lua`);
      writeFileSync(script, scriptOf(load));
      const output = await stage.run(program, [
        ...['-t1', `-c${load.connections}`, `-d${load.seconds}s`],
        ...['--timeout', `${answerSeconds}s`, '-s', script, load.address],
      ]);
      return resultOf(output);
    },
  };
}

function resultOf(output: string): LoadResult {
  const line = output.split('\n').find((text) => text.startsWith('{'));
  const found: unknown = JSON.parse(line ?? 'null');
  const number = (name: string): number => {
    const value = isJsonObject(found) ? found[name] : undefined;
    if (typeof value !== 'number') throw new Error(`wrk did not say "${name}":\n${output}`);
    return value;
  };
  const refused = number('refused');
  const answered = number('answered') - refused;
  expectAllAnswered({ answered, refused, broken: number('broken'), timedOut: number('timedOut') });
  return {
    answered,
    perSecond: answered / (number('microseconds') / 1e6),
    medianMilliseconds: number('medianMicroseconds') / 1000,
    p99Milliseconds: number('p99Microseconds') / 1000,
  };
}

// ---- the script

function scriptOf({ address, requests }: Load): string {
  const { host } = new URL(address);
  if (requests.kind === 'gets') return getScript(requests, host) + summary;
  return (requests.kind === 'orders' ? orderScript(requests, host) : bulkScript(requests, host)) + summary;
}

// The script formats only the unique part and parses nothing, so that the generator does not become the bottleneck. wrk
// counts every status above 399. order-load.ts checks in the database that answers were new orders and not replays.
function orderScript({ keys, packageId, run, keysInOrder }: OrderRequests, host: string): string {
  const sample = uniqueText(run, 0);
  const [bodyHead = '', bodyTail = ''] = orderBody(packageId, sample).split(sample);
  const heads = keys.map((key) =>
    lines(
      `POST ${ordersPath} HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${orderBody(packageId, sample).length}`,
      'Idempotency-Key: ',
    ),
  );
  return `
local heads = ${table(heads)}
local count = 0
function request()
  count = count + 1
  local unique = string.format("%08x-${run}-%07d", (count * 2654435761) % 4294967296, count)
  local key = ${keysInOrder ? `string.format("${beginningText()}-%07d-${run}", count)` : 'unique'}
  return heads[count % #heads + 1] .. key .. ${quoted(`\r\n\r\n${bodyHead}`)} .. unique .. ${quoted(bodyTail)}
end
`;
}

/** The script for bulks. One format call fills both places of each order. */
function bulkScript({ keys, packageId, run }: OrderRequests, host: string): string {
  const bodyOf = (order: (count: number) => string) =>
    `{"orders": [${Array.from({ length: ordersInBulk }, (_nothing, index) => order(index)).join(', ')}]}`;
  const sample = bodyOf((count) => orderInBulk(packageId, uniqueText(run, count)));
  const heads = keys.map((key) =>
    lines(
      `POST ${bulkPath} HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${sample.length}`,
      '',
      '',
    ),
  );
  const [head = '', middle = '', tail = ''] = orderInBulk(packageId, '\n').split('\n');
  return `
local heads = ${table(heads)}
local count = 0
local requests = 0
local orders = {}
function request()
  requests = requests + 1
  for place = 1, ${ordersInBulk} do
    count = count + 1
    local unique = string.format("%08x-${run}-%07d", (count * 2654435761) % 4294967296, count)
    orders[place] = ${quoted(head)} .. unique .. ${quoted(middle)} .. unique .. ${quoted(tail)}
  end
  return heads[requests % #heads + 1] .. '{"orders": [' .. table.concat(orders, ', ') .. ']}'
end
`;
}

function getScript({ targets }: GetRequests, host: string): string {
  const requests = targets.map(
    ({ path, key }) =>
      `${lines(`GET ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${key}`)}\r\n\r\n`,
  );
  return `
local requests = ${table(requests)}
local count = 0
function request()
  count = count + 1
  return requests[count % #requests + 1]
end
`;
}

const summary = `
function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"answered": %d, "refused": %d, "broken": %d, "timedOut": %d, "microseconds": %d, "medianMicroseconds": %d, "p99Microseconds": %d}',
    summary.requests, errors.status, errors.connect + errors.read + errors.write, errors.timeout,
    summary.duration, latency:percentile(50), latency:percentile(99)))
end
`;

function lines(...texts: string[]): string {
  return texts.join('\r\n');
}

function table(texts: readonly string[]): string {
  return `{\n${texts.map((text) => `  ${quoted(text)},\n`).join('')}}`;
}

/** Lua reads the escapes of a JSON string in the same way, as long as the string is ASCII. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
