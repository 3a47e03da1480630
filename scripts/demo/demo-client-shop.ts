// The shop of `npm run demo:data`: each order of the demo's year is a request to a real service, with the address of its
// client, so that the request log, sign-ins and refusals are there too.

import { Secret, TOTP } from 'otpauth';
import type { PayInDemo } from '../../src/setup/demo-year/demo-payer.ts';
import {
  type AdministratorsAct,
  classicPackage,
  type DemoPriceChange,
  type ResellerPlan,
} from '../../src/setup/demo-year/demo-resellers.ts';
import type { DemoShop, OrderAnswer } from '../../src/setup/demo-year/demo-shop.ts';
import { formatAmount, parseAmount } from '../../src/shared/amounts.ts';
import { expectMonths, periodOfMonths } from '../../src/shared/periods.ts';
import { type Ask, type DemoAnswer, expectDone, objectIn } from './demo-client.ts';

export interface ClientShopParts {
  readonly ask: Ask;
  readonly administratorKey: string;
  readonly password: string;
  readonly setClock: (seconds: number) => void;
  readonly pay: PayInDemo;
}

const office = '203.0.113.240';

export function createClientShop({
  ask,
  administratorKey,
  password,
  setClock,
  pay,
}: ClientShopParts): DemoShop {
  const keys = new Map<number, string>();
  const plans = new Map<number, ResellerPlan>();
  let clock = 0;

  const asAdministrator = async (method: string, path: string, body?: object) => {
    const request = { method, path: `/api/admin/v1${path}`, from: office, key: administratorKey };
    const answer = await ask({ ...request, ...(body !== undefined && { body }) });
    return expectDone(answer, `${method} ${path}`);
  };

  const asReseller = (
    id: number,
    method: string,
    path: string,
    more: { body?: object | string; idempotencyKey?: string; from?: string; key?: string } = {},
  ): Promise<DemoAnswer> =>
    ask({
      ...{ method, path: `/api/v1${path}`, from: plans.get(id)?.address ?? office, key: keys.get(id) ?? '' },
      ...more,
    });

  const inPanel = async ({ username, address: from }: ResellerPlan, by = password) => {
    const entry = { method: 'POST', path: '/panel/api/sign-in', from, cookie: '' };
    const signedIn = await ask({ ...entry, body: { username, password: by } });
    expectDone(signedIn, `Signing in ${username}`);
    return async (path: string, body: object) =>
      expectDone(
        await ask({ method: 'POST', path: `/panel/api${path}`, from, cookie: signedIn.cookie, body }),
        path,
      );
  };

  function orderAnswer(answer: DemoAnswer): OrderAnswer {
    if (answer.status !== 201) return String(objectIn(answer.body, 'error')['code']);
    const placed = objectIn(answer.body, 'order');
    return {
      orderId: Number(placed['id']),
      customerId: Number(objectIn(placed, 'customer')['id']),
      packageId: Number(objectIn(placed, 'package')['id']),
      months: expectMonths(Number(placed['months'])),
      expiresAt: Date.parse(String(placed['expires_at'])) / 1000,
      balanceCents: parseAmount(answer.body['balance']) ?? 0n,
    };
  }

  async function credit(id: number, cents: bigint, memo: string): Promise<void> {
    await asAdministrator('POST', `/accounts/${id}/credit`, { amount: formatAmount(cents), memo });
  }

  return {
    slotSeconds: () => 0,
    setClock(seconds) {
      clock = seconds;
      setClock(seconds);
    },
    async listPackages() {
      await asAdministrator('POST', '/packages', classicBody());
      const { data } = await asAdministrator('GET', '/packages');
      const listed = Array.isArray(data) ? data : [];
      return new Map(listed.map((one) => [String(one['name']), Number(one['id'])]));
    },
    async openAccount(plan) {
      const made = await asAdministrator('POST', '/accounts', {
        username: plan.username,
        display_name: plan.displayName,
        group: plan.group,
        ...(plan.rateLimitPerMinute !== undefined && { rate_limit_per_minute: plan.rateLimitPerMinute }),
        ...(plan.allowedIps !== undefined && { allowed_ips: plan.allowedIps }),
      });
      const id = Number(objectIn(made, 'account')['id']);
      keys.set(id, String(made['api_key']));
      plans.set(id, plan);
      const generated = String(made['password']);
      const choose = await inPanel(plan, generated);
      await choose('/password', { current_password: generated, new_password: password });
      return id;
    },
    credit,
    pay,
    async place(id, { packageId, person, isNew, months, key }) {
      const body = {
        package_id: packageId,
        customer: person.reference,
        ...(months === 1 ? {} : { months }),
        ...(isNew && person.name !== null && { customer_name: person.name }),
      };
      return orderAnswer(await asReseller(id, 'POST', '/orders', { idempotencyKey: key, body }));
    },
    renew: async (id, orderId, idempotencyKey) =>
      orderAnswer(await asReseller(id, 'POST', `/orders/${orderId}/renew`, { idempotencyKey, body: {} })),
    async grantTrial(id, packageId, { reference: customer, name }) {
      const body = { package_id: packageId, customer, ...(name !== null && { customer_name: name }) };
      await asAdministrator('POST', `/accounts/${id}/trials`, body);
    },
    async suspend(_id, customerId) {
      await asAdministrator('PATCH', `/customers/${customerId}`, { status: 'suspended' });
    },
    async act(what, id, packageId) {
      if (what.type === 'package')
        await asAdministrator('PATCH', `/packages/${packageId}`, packageBody(what));
      if (what.type === 'credit' && id !== null) await credit(id, what.cents, what.memo);
      if (what.type === 'account') await asAdministrator('PATCH', `/accounts/${id}`, accountBody(what));
    },
    traffic: {
      async read({ id }, chosen, known) {
        const paths = ['/balance', '/balance', '/packages', '/orders?limit=100', '/customers?limit=100'];
        if (known !== null) paths.push(`/customers/${known.id}`, `/orders/${known.orderId}`);
        await asReseller(id, 'GET', paths[chosen % paths.length] ?? '/balance');
      },
      async makeMistake({ id, plan }, { chosen, theirs, anyone }, packages) {
        const send = (body: object | string, idempotencyKey?: string) =>
          asReseller(id, 'POST', '/orders', {
            body,
            ...(idempotencyKey !== undefined && { idempotencyKey }),
          });
        const [starter, business] = [packages.get('Starter'), packages.get('Business')];
        const mistakes: (() => Promise<DemoAnswer>)[] = [
          () => send({ package_id: starter, customer: 'no one@example' }),
          () => send({ package_id: starter, customer: 'no one@example' }),
          () => send({ package_id: 99, customer: anyone() }),
          () => send({ package_id: packages.get('Classic'), customer: anyone() }),
          () => send({ package_id: starter, customer: anyone(), months: 6 }),
          () => send({ package_id: starter, customer: theirs }),
          () => send({ package_id: business, customer: theirs }, `${plan.username}-1`),
          () => send('{"package_id": 1, "customer": '),
          () => asReseller(id, 'GET', '/orders/404'),
          () => asReseller(id, 'GET', '/order'),
          () => asReseller(id, 'DELETE', '/orders'),
          () => asReseller(id, 'GET', '/balance', { key: 'YOUR_API_KEY' }),
        ];
        await mistakes[chosen]?.();
      },
      async usePanel({ plan }) {
        const post = await inPanel(plan);
        await post('/api-key/reveal', { password });
        if (plan.username !== 'pixelforge') return;
        const { secret } = await post('/totp', { password });
        const code = new TOTP({ secret: Secret.fromBase32(String(secret)) }).generate({
          timestamp: clock * 1000,
        });
        await post('/totp/confirm', { code });
      },
      async hurry({ id }) {
        for (let count = 0; count < 68; count += 1) await asReseller(id, 'GET', '/balance');
      },
      async callFromElsewhere({ id }) {
        await asReseller(id, 'GET', '/balance', { from: '192.0.2.7' });
      },
      async afterNewKey({ id }) {
        const key = keys.get(id) ?? '';
        const made = await asAdministrator('POST', `/accounts/${id}/api-key`);
        keys.set(id, String(made['api_key']));
        // The reseller's nightly program still uses the old key, so it is refused.
        for (const _ of [1, 2, 3]) await asReseller(id, 'GET', '/balance', { key });
      },
    },
  };
}

function classicBody() {
  const { name, features, limits, prices } = classicPackage;
  const named = (of: (typeof prices)['reseller']) => ({
    monthly: formatAmount(of[1]),
    quarterly: formatAmount(of[3]),
    yearly: formatAmount(of[12]),
  });
  const { reseller, distributor } = prices;
  return { name, features, limits, prices: { reseller: named(reseller), distributor: named(distributor) } };
}

function packageBody({ limits, features, prices, retired }: AdministratorsAct & { type: 'package' }) {
  const pricesOf = (wanted: DemoPriceChange['group']) =>
    Object.fromEntries(
      (prices ?? [])
        .filter(({ group }) => group === wanted)
        .map(({ months, cents }) => [periodOfMonths(months), formatAmount(cents)]),
    );
  return {
    ...(limits !== undefined && { limits }),
    ...(features !== undefined && { features }),
    ...(retired !== undefined && { retired }),
    ...(prices !== undefined && {
      prices: { reseller: pricesOf('reseller'), distributor: pricesOf('distributor') },
    }),
  };
}

function accountBody({ change }: AdministratorsAct & { type: 'account' }) {
  const { rateLimitPerMinute, blocked, apiEnabled } = change;
  return {
    ...(rateLimitPerMinute !== undefined && { rate_limit_per_minute: rateLimitPerMinute }),
    ...(blocked !== undefined && { blocked }),
    ...(apiEnabled !== undefined && { api_enabled: apiEnabled }),
  };
}
