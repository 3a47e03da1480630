// The examples of docs/plans-and-refunds.md, order by order, agree with the service's answers.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';

const page = readFileSync(new URL('../../docs/plans-and-refunds.md', import.meta.url), 'utf8');

interface Example {
  readonly title: string;
  readonly credit: string;
  readonly lines: readonly (readonly string[])[];
}

const examples = page
  .slice(page.indexOf('\n## Examples\n'))
  .split('\n### ')
  .slice(1)
  .map((section): Example => {
    const lines = section
      .split('\n')
      .filter((line) => /^\| \d{4}-/.test(line))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    const credit = /^Credit (\d+\.\d\d)\./m.exec(section)?.[1] ?? '';
    return { title: section.slice(0, section.indexOf('\n')), credit, lines };
  });

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const secondsOf = (time: string) => Date.parse(`${time.replace(' ', 'T')}:00Z`) / 1000;
const timeOf = (text: string) => text.replace('T', ' ').replace(/:00Z$/, '');

test('the page has examples, and their prices are those of the test’s packages', async () => {
  assert.ok(examples.length >= 6);
  for (const { title, credit, lines } of examples) assert.ok(credit !== '' && lines.length >= 2, title);
  const reseller = await service.createReseller();
  const { data } = (await reseller.get('/packages')).body;
  for (const one of data) {
    const [monthly, quarterly, yearly] = one.prices.map(({ price }: { price: string }) => price);
    assert.ok(page.includes(`| ${one.name} | ${monthly} | ${quarterly} | ${yearly} |`), one.name);
  }
});

describe('every example is what the service answers', () => {
  for (const [index, { title, credit, lines }] of examples.entries()) {
    test(title, async () => {
      const reseller = await service.createReseller({ credit });
      const customer = `example-${index}`;
      let lastOrder = 0;
      for (const [when = '', order = '', ...expected] of lines) {
        service.clock.seconds = secondsOf(when);
        const [word = '', period = ''] = order.split(' ');
        const answer = await send(reseller, word, period, customer, lastOrder);
        if (answer.status === 201) lastOrder = answer.body.order.id;
        assert.deepEqual(await shown(reseller, answer), expected, `${when} ${order}: ${answer.text}`);
      }
    });
  }
});

async function send(
  reseller: TestAccount,
  word: string,
  period: string,
  customer: string,
  lastOrder: number,
): Promise<Answer> {
  if (word === 'cancel') {
    const { id } = (await reseller.get('/customers')).body.data[0];
    return reseller.post(`/customers/${id}/cancel`, { at: period });
  }
  if (word === 'renew') return reseller.post(`/orders/${lastOrder}/renew`, { period });
  const { basic, plus } = service.packages;
  return reseller.post('/orders', { package_id: word === 'Basic' ? basic : plus, customer, period });
}

async function shown(reseller: TestAccount, { status, body }: Answer): Promise<readonly string[]> {
  const { balance } = (await reseller.get('/balance')).body;
  const [customer] = (await reseller.get('/customers')).body.data;
  const ends = timeOf(customer.plan.expires_at);
  if (status === 200) return [body.customer.plan.status, '–', body.refund, body.balance, ends];
  if (status !== 201) return [body.error.code, body.error.details.required, '0.00', balance, ends];
  const { kind, price, refund, expires_at: expiresAt } = body.order;
  assert.deepEqual([body.balance, timeOf(expiresAt)], [balance, ends]);
  return [kind, price, refund, balance, ends];
}
