// node bench/test-clock.ts [customers]: how long a test clock takes to advance by a year, with customers who renew
// automatically every month, all in the same second. Prints the kind of the database and the time.

import { createApiClient } from '../scripts/throwaway/api-client.ts';
import { startTestService } from '../scripts/throwaway/test-service.ts';

const customers = Number(process.argv[2] ?? 10_000);
const isListening = process.argv[3] !== 'unheard';
const times = new Map<string, number>();
const isTimed = process.argv.includes('timed');
const service = await startTestService(
  !isTimed
    ? {}
    : {
        wrapDatabase: (inner) => ({
          ...inner,
          transaction: (work, options) =>
            inner.transaction((transaction) => {
              let before: Promise<unknown> = Promise.resolve();
              return work({
                ...transaction,
                query(statement, values) {
                  const mine = before.then(async () => {
                    const began = performance.now();
                    const rows = await transaction.query(statement, values);
                    times.set(statement.name, (times.get(statement.name) ?? 0) + performance.now() - began);
                    return rows;
                  });
                  before = mine.catch(() => undefined);
                  return mine;
                },
                commit: () =>
                  before.then(async () => {
                    const began = performance.now();
                    await transaction.commit();
                    times.set('COMMIT', (times.get('COMMIT') ?? 0) + performance.now() - began);
                  }),
              });
            }, options),
        }),
      },
);
const live = await service.createReseller();
const { database } = service;
const { body: made } = await service.admin.post(`/api/admin/v1/accounts/${live.id}/keys`, {
  name: 'Tests',
  test: true,
});
const key: string = made.api_key;
const tests = createApiClient(service.address, key);
for (let count = 0; count < 25; count += 1) await tests.post('/test/credit', { amount: '1000000.00' });
if (isListening) await tests.get('/events');
const ids: number[] = [];
for (let from = 0; from < customers; from += 200) {
  const orders = Array.from({ length: 200 }, (_, index) => ({
    package_id: service.packages.basic,
    customer: `c-${from + index}`,
    idempotency_key: `o-${from + index}`,
  }));
  const { body } = await tests.post('/orders/bulk', { orders });
  for (const { order } of body.results) ids.push(order.customer.id);
}
for (let from = 0; from < ids.length; from += 100) {
  await Promise.all(
    ids.slice(from, from + 100).map((id) => tests.send('PUT', `/customers/${id}/auto-renew`, { months: 1 })),
  );
}
if (process.argv[4] !== undefined) await database.query({ name: '', text: 'analyze' });
const began = performance.now();
const cpu = process.cpuUsage();
times.clear();
let answer = await tests.post('/test/clock', { advance: 'P1Y', idempotency_key: 'year' });
console.log(answer.status, answer.text);
while (answer.body.reached === false) {
  answer = await tests.post('/test/clock', { advance: 'P1Y', idempotency_key: 'year' });
  console.log(answer.status, answer.text);
}
const seconds = (performance.now() - began) / 1000;
console.log(
  `${database.kind}: ${customers} customers over a year in ${seconds.toFixed(1)} s, ${((process.cpuUsage(cpu).user + process.cpuUsage(cpu).system) / 1e6).toFixed(1)} s of computing`,
);
if (isTimed)
  console.log(
    [...times]
      .sort((a, b) => b[1] - a[1])
      .map(([name, took]) => `${took.toFixed(0)} ms ${name}`)
      .slice(0, 20)
      .join('\n'),
  );
if (process.argv.includes('ten')) {
  const memory = process.memoryUsage().rss;
  const start = performance.now();
  const more = await tests.post('/test/clock', { advance: 'P9Y', idempotency_key: 'nine' });
  console.log(
    more.text,
    ((performance.now() - start) / 1000).toFixed(1),
    's',
    (memory / 1e6).toFixed(),
    'MB before',
    (process.memoryUsage().rss / 1e6).toFixed(),
    'MB after',
  );
}
const resetAt = performance.now();
await tests.post('/test/reset');
await service.service.jobs.look();
await service.service.jobs.idle();
const left = await database.query({
  name: '',
  text: 'select test_state from accounts where id > 5000000 order by id',
});
console.log(
  'reset and cleaned',
  ((performance.now() - resetAt) / 1000).toFixed(1),
  's',
  JSON.stringify(left),
);
await service.close();
