// The load generator autocannon, for machines without wrk. It runs in this process and takes more CPU per request than wrk, on
// the cores that the measured service uses. So figures are lower, but ratios still compare.

import { isJsonObject } from '../src/shared/json.ts';
import {
  answerSeconds,
  beginningText,
  bulkPath,
  expectAllAnswered,
  keyInOrder,
  type Load,
  type LoadGenerator,
  orderBody,
  orderInBulk,
  ordersInBulk,
  ordersPath,
  uniqueText,
} from './load.ts';

type Autocannon = (options: object) => PromiseLike<unknown>;

/** @returns null if the package is not installed */
export async function findAutocannonGenerator(): Promise<LoadGenerator | null> {
  // In a variable, because the type checker would reject a literal name where the package is not installed.
  const packageName: string = 'autocannon';
  const loaded: unknown = await import(packageName).catch(() => null);
  const autocannon: unknown = isJsonObject(loaded) ? loaded['default'] : null;
  return typeof autocannon === 'function' ? createGenerator(autocannon as Autocannon) : null;
}

function createGenerator(autocannon: Autocannon): LoadGenerator {
  return {
    description: 'autocannon, in the process of the benchmark',
    async run(load) {
      const result = await autocannon({
        url: load.address,
        connections: load.connections,
        duration: load.seconds,
        timeout: answerSeconds,
        requests: [{ setupRequest: requestMaker(load) }],
      });
      const number = (value: unknown, name: string): number => {
        const found = isJsonObject(value) ? value[name] : undefined;
        if (typeof found !== 'number') throw new Error(`autocannon did not say "${name}".`);
        return found;
      };
      const answered = number(result, '2xx');
      const timedOut = number(result, 'timeouts');
      // autocannon's errors include its timeouts.
      const broken = number(result, 'errors') - timedOut;
      expectAllAnswered({ answered, refused: number(result, 'non2xx'), broken, timedOut });
      const seconds = number(result, 'duration');
      const latency = isJsonObject(result) ? result['latency'] : undefined;
      return {
        answered,
        perSecond: answered / seconds,
        // autocannon counts latencies in whole milliseconds. For one connection the mean is exact.
        medianMilliseconds: load.connections === 1 ? (seconds * 1000) / answered : number(latency, 'p50'),
        p99Milliseconds: number(latency, 'p99'),
      };
    },
  };
}

/** One counter for all connections, so that the keys and targets take turns. */
function requestMaker({ requests }: Load): (request: object) => object {
  const began = beginningText();
  let count = 0;
  return (request) => {
    count += 1;
    if (requests.kind === 'gets') {
      const target = requests.targets[count % requests.targets.length];
      const headers = { authorization: `Bearer ${target?.key}` };
      return { ...request, method: 'GET', path: target?.path, headers };
    }
    if (requests.kind === 'bulks') {
      const orders = Array.from({ length: ordersInBulk }, (_nothing, index) =>
        orderInBulk(requests.packageId, uniqueText(requests.run, count * ordersInBulk + index)),
      );
      return {
        ...request,
        method: 'POST',
        path: bulkPath,
        headers: {
          authorization: `Bearer ${requests.keys[count % requests.keys.length]}`,
          'content-type': 'application/json',
        },
        body: `{"orders": [${orders.join(', ')}]}`,
      };
    }
    const unique = uniqueText(requests.run, count);
    return {
      ...request,
      method: 'POST',
      path: ordersPath,
      headers: {
        authorization: `Bearer ${requests.keys[count % requests.keys.length]}`,
        'content-type': 'application/json',
        'idempotency-key': requests.keysInOrder ? keyInOrder(began, requests.run, count) : unique,
      },
      body: orderBody(requests.packageId, unique),
    };
  };
}
