// The WHMCS module, unpacked from its zip. A stand-in calls it as WHMCS's documents say, against a real service.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { type BillingPanel, openPanel, phpIsMissing, unpackModule } from '../harness/billing-panel.ts';
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts';
import { sellProjectTool } from '../harness/project-tool.ts';
import { expectStatus } from '../harness/refusals.ts';
import { advance, testModeOf } from '../harness/test-mode.ts';

const hostile = '<img src=x onerror="alert(1)">';

interface Installed extends BillingPanel {
  readonly prefix: string;
}

describe('the module for WHMCS', { skip: phpIsMissing ?? false }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sellthrough-whmcs-'));
  let service: TestService;
  let proxy: CuttingProxy;
  let module: string;
  const opened: BillingPanel[] = [];

  before(async () => {
    service = await startTestService();
    proxy = await startCuttingProxy(service.address);
    module = unpackModule('whmcs', folder);
  });
  after(async () => {
    for (const panel of opened) await panel.close();
    await proxy.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Each panel has its own prefix, a server, a client, `basic` (1), `plus` (2) and `plus` with another prefix (3). */
  async function install(account: TestAccount, address = service.address): Promise<Installed> {
    const panel = openPanel('whmcs', module, folder);
    opened.push(panel);
    const prefix = `acme${opened.length}`;
    const { hostname, port } = new URL(address);
    await panel.say('server', {
      server: {
        serverhostname: hostname,
        serverport: port,
        serversecure: false,
        serveraccesshash: account.key,
      },
    });
    const client = {
      firstname: 'Ada',
      lastname: 'Lovelace',
      companyname: '',
      email: 'ada@example.com',
      language: 'german',
    };
    await panel.say('client', { id: 7, client });
    const { basic, plus } = service.packages;
    for (const [id, options] of [
      [1, [basic, prefix, '', 'now', 'apply', 'on']],
      [2, [plus, prefix, '', 'now', 'apply', 'on']],
      [3, [plus, `${prefix}b`, '', 'now', 'apply', 'on']],
      [4, [basic, prefix, '9.99', 'now', 'apply', '']],
      [5, [basic, prefix, '', 'period_end', 'report', '']],
    ] as const) {
      await panel.say('product', { id, options });
    }
    return { ...panel, prefix };
  }
  const order = (panel: BillingPanel, id: number, product = 1, cycle = 'Monthly') =>
    panel.say('service', { id, product, cycle, due: '2026-02-15', client: 7 });
  const testAccount = async () => testModeOf(service, await service.createReseller());
  const balanceOf = async (account: TestAccount) => (await account.get('/balance')).body.balance as string;
  const customersOf = async (account: TestAccount) => (await account.get('/customers')).body.data;
  const customerOf = async (account: TestAccount, reference: string) =>
    (await customersOf(account)).find((customer: { reference: string }) => customer.reference === reference);

  test('a service lives: created once, renewed once, changed, suspended, let in, ended, and created again', async () => {
    const account = await testAccount();
    await advance(account, 'PT1S');
    // Count from the test clock, so that the result does not depend on today's date.
    const { now } = (await account.get('/test/clock')).body.clock;
    const panel = await install(account);
    await order(panel, 1734);

    assert.equal((await panel.say('create', { service: 1734 })).answer, 'success');
    assert.equal(await balanceOf(account), '990.00');
    const made = await customerOf(account, `${panel.prefix}-1734`);
    assert.equal(made.name, 'Ada Lovelace <ada@example.com>');
    assert.equal(made.external_ref, '1734');
    const shown = (await panel.say('admin tab', { service: 1734 })).service;
    assert.deepEqual([shown.status, shown.username], ['Active', `${panel.prefix}-1734`]);

    // Creating is repeated: for an existing service, and after the panel's stored data is gone.
    assert.equal((await panel.say('create', { service: 1734 })).answer, 'success');
    await panel.say('forget', { service: 1734 });
    assert.equal((await panel.say('create', { service: 1734 })).answer, 'success');
    assert.equal(await balanceOf(account), '990.00');

    await panel.say('set', { service: 1734, field: 'nextduedate', value: '2026-03-15' });
    for (const time of ['first', 'again']) {
      assert.equal((await panel.say('renew', { service: 1734 })).answer, 'success', time);
      assert.equal(await balanceOf(account), '980.00', `${time}: one due date, one charge`);
    }
    await panel.say('set', { service: 1734, field: 'nextduedate', value: '2026-04-15' });
    await panel.say('set', { service: 1734, field: 'billingcycle', value: 'Quarterly' });
    assert.equal((await panel.say('renew', { service: 1734 })).answer, 'success');
    assert.equal(await balanceOf(account), '953.00');

    await panel.say('set', { service: 1734, field: 'billingcycle', value: 'Monthly' });
    assert.equal((await panel.say('change', { service: 1734, product: 2 })).answer, 'success');
    // The clock stands still, so all three periods (10, 10 and 27) come back.
    assert.equal(await balanceOf(account), '975.00');
    assert.equal((await customerOf(account, `${panel.prefix}-1734`)).plan.package, 'Plus');

    const suspended = await panel.say('suspend', { service: 1734, reason: 'Overdue on payment' });
    assert.equal(suspended.answer, 'success');
    assert.equal(suspended.service.status, 'Suspended');
    assert.equal((await customerOf(account, `${panel.prefix}-1734`)).plan.status, 'suspended');
    const history = (await account.get(`/customers/${made.id}/history`)).body.data;
    assert.equal(history[0].reason, 'Overdue on payment');
    assert.deepEqual((await panel.say('sign on', { service: 1734 })).answer, {
      success: false,
      errorMsg: 'Dieser Kunde ist gesperrt und kann sich nicht anmelden.',
    });
    assert.equal((await panel.say('unsuspend', { service: 1734 })).answer, 'success');
    assert.equal((await customerOf(account, `${panel.prefix}-1734`)).plan.active, true);

    const { success, redirectTo } = (await panel.say('sign on', { service: 1734 })).answer;
    assert.equal(success, true);
    assert.match(redirectTo, /\/login\/[\w-]{43}$/);
    assert.equal(await balanceOf(account), '975.00');

    await advance(account, 'P10D');
    const ended = await panel.say('terminate', { service: 1734 });
    assert.deepEqual([ended.answer, ended.service.status], ['success', 'Terminated']);
    assert.equal(
      (await panel.say('terminate', { service: 1734 })).answer,
      'success',
      'nothing is left to end',
    );
    assert.equal((await customerOf(account, `${panel.prefix}-1734`)).plan.status, 'cancelled');
    assert.ok(Number(await balanceOf(account)) > 990, 'what was not used is given back');

    const before = Number(await balanceOf(account));
    assert.equal((await panel.say('create', { service: 1734 })).answer, 'success');
    assert.equal(Number(await balanceOf(account)), before - 25);
    const again = await customerOf(account, `${panel.prefix}-1734`);
    assert.deepEqual([again.id, again.plan.active], [made.id, true]);
    assert.ok(again.plan.starts_at > now);
    assert.equal((await customersOf(account)).length, 1);
  });

  test('a service that was suspended, ended and created again can be used', async () => {
    const account = await service.createReseller({ credit: '100.00' });
    const panel = await install(account);
    // With an operator's key, an earlier module suspended the customer as the operator.
    await panel.say('server', { server: { serverpassword: service.admin.key } });
    await order(panel, 1);
    for (const step of ['create', 'suspend', 'terminate', 'create']) {
      assert.equal((await panel.say(step, { service: 1 })).answer, 'success', step);
    }
    const customer = await customerOf(account, `${panel.prefix}-1`);
    assert.deepEqual(
      [customer.status, customer.plan.status, customer.plan.active],
      ['active', 'active', true],
    );
    assert.equal((await panel.say('sign on', { service: 1 })).answer.success, true);
  });

  test('a change to a product with another prefix changes the plan of the same customer, and gives back what is unused', async () => {
    const account = await testAccount();
    const panel = await install(account);
    await order(panel, 2);
    assert.equal((await panel.say('create', { service: 2 })).answer, 'success');
    assert.equal((await panel.say('change', { service: 2, product: 3 })).answer, 'success');
    assert.deepEqual(
      (await customersOf(account)).map((customer: { reference: string }) => customer.reference),
      [`${panel.prefix}-2`],
    );
    assert.equal(await balanceOf(account), '975.00');
    await panel.say('set', { service: 2, field: 'nextduedate', value: '2026-03-15' });
    assert.equal((await panel.say('renew', { service: 2 })).answer, 'success');
    assert.equal((await customersOf(account)).length, 1);
  });

  test('neither keys nor login links are ever in the module log', async () => {
    const account = await testAccount();
    const panel = await install(account);
    await order(panel, 3);
    await panel.say('create', { service: 3 });
    const { redirectTo } = (await panel.say('sign on', { service: 3 })).answer;
    const secret = new URL(redirectTo).pathname.split('/').at(-1) ?? '';
    assert.ok(secret.length > 40 && !panel.logged().includes(secret));
    assert.ok(!panel.logged().includes(account.key));
    assert.match(panel.logged(), /sellthrough placeOrder Idempotency-Key: acme\d+-3-create-/);
    assert.match(panel.logged(), /login_url/, 'the answer that had the link is there');
  });

  describe('an order whose answer was lost', () => {
    for (const where of ['before', 'middle'] as const) {
      test(`is charged once, cut ${where === 'before' ? 'before its answer' : 'in the middle of it'}`, async () => {
        const account = await testAccount();
        const panel = await install(account, proxy.address);
        await order(panel, 1);
        proxy.cutAnswers(2, where);
        assert.equal((await panel.say('create', { service: 1 })).answer, 'success');
        assert.equal(await balanceOf(account), '990.00');
      });
    }

    test('on every attempt is settled before anything else, also when dates and products have moved', async () => {
      const account = await testAccount();
      const panel = await install(account, proxy.address);
      await order(panel, 1);
      proxy.cutAnswers(4, 'before');
      const lost = await panel.say('create', { service: 1 });
      assert.match(
        lost.answer,
        /^Sellthrough did not answer \(.+\)\. Run the command again: .*nothing is charged twice\.$/,
      );
      assert.equal(lost.service.status, 'Pending');
      assert.equal(await balanceOf(account), '990.00', 'it was placed all the same');
      // The client was renamed. That does not make another order.
      await panel.say('client', { id: 7, client: { firstname: 'Ada', lastname: 'King' } });
      assert.equal((await panel.say('create', { service: 1 })).answer, 'success');
      assert.equal(await balanceOf(account), '990.00');
      assert.equal((await customerOf(account, `${panel.prefix}-1`)).name, 'Ada King');

      await panel.say('set', { service: 1, field: 'nextduedate', value: '2026-03-15' });
      proxy.cutAnswers(4, 'middle');
      assert.match((await panel.say('renew', { service: 1 })).answer, /^Sellthrough did not answer/);
      assert.equal(await balanceOf(account), '980.00');
      const waiting = await panel.say('button', { service: 1, label: 'Compare with Sellthrough' });
      assert.match(waiting.answer, /outstanding/);
      assert.equal(waiting.service.due, '2026-03-15', 'nothing is touched while it is not known');
      assert.equal((await panel.say('renew', { service: 1 })).answer, 'success');
      assert.equal(await balanceOf(account), '980.00');

      await panel.say('set', { service: 1, field: 'nextduedate', value: '2026-04-15' });
      proxy.cutAnswers(4, 'before');
      assert.match((await panel.say('renew', { service: 1 })).answer, /^Sellthrough did not answer/);
      // The client paid, then upgraded, before the renewal ran again.
      assert.equal((await panel.say('change', { service: 1, product: 2 })).answer, 'success');
      const customer = await customerOf(account, `${panel.prefix}-1`);
      assert.equal(customer.plan.package, 'Plus');
      assert.equal(await balanceOf(account), '975.00');
    });
  });

  describe('what cannot be done is said in plain words', () => {
    test('and moves no money: balance, price, prefix, cycle, settings', async () => {
      const poor = await service.createReseller({ credit: '15.00' });
      const rival = await service.createReseller({ credit: '100.00' });
      const panel = await install(poor);
      const said = async (id: number, product: number, cycle = 'Monthly') => {
        await order(panel, id, product, cycle);
        const { answer, service: kept } = await panel.say('create', { service: id });
        assert.equal(kept.status, 'Pending');
        return answer;
      };
      assert.equal(
        await said(1, 2),
        'The balance at Sellthrough is too low: it is 15.00 USD, and 25.00 USD is needed. Nothing was charged. Add funds, then run the command again.',
      );
      assert.equal(
        await said(2, 4),
        'The price has changed: 10.00 USD would be charged, and the cost limit of this product allows 9.99. Nothing was charged.',
      );
      expectStatus(
        await rival.post('/orders', { package_id: service.packages.basic, customer: `${panel.prefix}-3` }),
        201,
      );
      assert.match(
        await said(3, 1),
        /^This customer belongs to another account at Sellthrough\. Nothing was charged\. Choose another prefix/,
      );
      assert.match(
        await said(4, 1, 'Biennially'),
        /^The billing cycle "Biennially" cannot be ordered at Sellthrough: it has months, quarters and years\./,
      );
      for (const [id, options, expected] of [
        [11, [service.packages.retired, panel.prefix], /^This package cannot be ordered any more\./],
        [12, [99, panel.prefix], /^There is no such package at Sellthrough\./],
        [13, ['', panel.prefix], /^No package is chosen for this product\./],
        [14, [service.packages.basic, 'a b'], /^The prefix must have 1 to 20 letters/],
        [
          15,
          [service.packages.basic, panel.prefix, '12,50'],
          /^The cost limit "12,50" is not an amount such as 12\.50\./,
        ],
      ] as const) {
        await panel.say('product', { id, options });
        assert.match(await said(id, id), expected);
      }
      assert.equal(await balanceOf(poor), '15.00');
      await panel.say('product', { id: 1, options: [service.packages.basic, `${panel.prefix}c`] });
      assert.equal((await panel.say('create', { service: 3 })).answer, 'success');
      assert.equal((await customerOf(poor, `${panel.prefix}c-3`)).external_ref, '3');
    });

    test('and names what was not created, who has no right, and what no one answers', async () => {
      const account = await testAccount();
      const panel = await install(account);
      await order(panel, 1);
      for (const step of ['renew', 'suspend', 'unsuspend', 'change']) {
        const { answer } = await panel.say(step, { service: 1, product: 2 });
        assert.equal(answer, 'This service has not been created at Sellthrough yet.', step);
      }
      assert.equal((await panel.say('terminate', { service: 1 })).answer, 'success');
      assert.equal((await panel.say('test connection')).answer.success, true);
      await panel.say('setting', { name: 'Language', value: 'german' });
      await panel.say('server', { server: { serveraccesshash: 'sk_live_wrong' } });
      assert.deepEqual((await panel.say('test connection')).answer, {
        success: false,
        error: 'Sellthrough kennt diesen API-Schlüssel nicht. Es wurde nichts berechnet.',
      });
      await panel.say('server', { server: { serverhostname: '127.0.0.1', serverport: '1' } });
      assert.match(
        (await panel.say('load packages')).answer.error,
        /^Die Pakete können nicht gelesen werden\. Sellthrough hat nicht geantwortet/,
      );
      const area = (await panel.say('client area', { service: 1 })).answer;
      assert.match(area, /Ihr Tarif wird eingerichtet\./);
    });
  });

  test('products choose from the packages of the account, and test mode is not to be overlooked', async () => {
    const account = await testAccount();
    const panel = await install(account);
    const { basic, plus } = service.packages;
    assert.deepEqual((await panel.say('load packages')).answer.choices, {
      [basic]: '[Test] Basic: 10.00 USD a month',
      [plus]: '[Test] Plus: 25.00 USD a month',
    });
    await order(panel, 1);
    await panel.say('create', { service: 1 });
    assert.match((await panel.say('admin tab', { service: 1 })).answer.Mode, /<strong>Test mode: /);
    assert.match((await panel.say('client area', { service: 1 })).answer, /role="status">Testmodus: /);
  });

  test('the client sees the plan, in their language, with everything escaped', async () => {
    const account = await service.createReseller({ credit: '50.00' });
    const evil = await service.admin.post('/api/admin/v1/packages', {
      name: hostile,
      limits: { accounts: 4, posts_per_day: 5, ai_images_per_month: 6 },
      prices: {
        reseller: { monthly: '1.00', quarterly: '2.00', yearly: '3.00' },
        distributor: { monthly: '1.00', quarterly: '2.00', yearly: '3.00' },
      },
    });
    const { id } = expectStatus(evil, 201).package;
    const panel = await install(account);
    await panel.say('product', { id: 1, options: [id, panel.prefix] });
    await order(panel, 1);
    assert.equal((await panel.say('create', { service: 1 })).answer, 'success');
    const area = (await panel.say('client area', { service: 1 })).answer;
    assert.ok(!area.includes(hostile) && area.includes('&lt;img src=x'));
    for (const text of ['Ihr Tarif', 'Bezahlt bis', 'KI-Bilder pro Monat', 'Anmelden', 'dosinglesignon=1']) {
      assert.ok(area.includes(text), text);
    }
    assert.ok(!area.includes('{'), 'every word of the template was filled in');
    const tab = (await panel.say('admin tab', { service: 1 })).answer;
    assert.equal(tab.Plan, '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
    // Retire the package, so that later tests do not choose it.
    expectStatus(await service.admin.patch(`/api/admin/v1/packages/${id}`, { retired: true }), 200);
  });

  test('a balance that the renewals of a month use up is shown as low, with where to add funds', async () => {
    const account = await service.createReseller({ credit: '17.00' });
    const panel = await install(account);
    const methods = {
      bank_transfer: { enabled: true, holder: 'Acme', iban: 'DE89370400440532013000' },
    };
    const setMethods = async (to: object) =>
      expectStatus(
        await service.admin.send('PUT', '/api/admin/v1/payments', {
          ...{ methods: to, minimum: '10.00', maximum: '100.00' },
        }),
        200,
      );
    await setMethods(methods);
    await order(panel, 1);
    assert.equal((await panel.say('create', { service: 1 })).answer, 'success');
    const shown: string = (await panel.say('admin tab', { service: 1 })).answer['Balance at Sellthrough'];
    assert.match(
      shown,
      /^7\.00 USD <strong>Low: if all plans renew, it runs out on \d{4}-\d\d-\d\d\.<\/strong> <a href="/,
    );
    assert.ok(shown.includes(`href="${service.address}/panel/top-ups" target="_blank"`));
    await order(panel, 2);
    assert.match(
      (await panel.say('create', { service: 2 })).answer,
      /^The balance .* Add funds at http\S+\/panel\/top-ups\S*, then run the command again\.$/,
    );
    await setMethods({});
    const rich = await service.createReseller({ credit: '500.00' });
    const calm = await install(rich);
    await order(calm, 1);
    await calm.say('create', { service: 1 });
    assert.equal(
      (await calm.say('admin tab', { service: 1 })).answer['Balance at Sellthrough'],
      '490.00 USD',
    );
  });

  test('limits are what the operator defines: their names, units, kinds and order, without the hidden ones', async () => {
    const tool = await sellProjectTool(service);
    const account = await testAccount();
    const panel = await install(account);
    await panel.say('product', { id: 1, options: [tool.packageId, panel.prefix] });
    await order(panel, 1);
    await order(panel, 2, 2);
    for (const id of [1, 2]) assert.equal((await panel.say('create', { service: id })).answer, 'success');

    const fields = Object.entries((await panel.say('admin tab', { service: 1 })).answer);
    assert.deepEqual(fields.slice(-4), [
      ['Storage', '500 GB'],
      ['Seats', 'unlimited'],
      ['Single sign-on', 'yes'],
      ['&lt;b&gt;Support&lt;/b&gt;', 'By mail &amp; phone'],
    ]);
    const area: string = (await panel.say('client area', { service: 1 })).answer;
    const shown = [...area.matchAll(/<strong>(.*?)<\/strong><\/div>\s*<div[^>]*>(.*?)<\/div>/g)];
    assert.deepEqual(
      shown.slice(-4).map(([, label, value]) => [label, value]),
      [
        ['Speicher', '500 GB'],
        ['Plätze', 'unbegrenzt'],
        ['Single sign-on', 'ja'],
        ['&lt;b&gt;Support&lt;/b&gt;', 'By mail &amp; phone'],
      ],
    );
    const usage = (await panel.say('usage')).answer;
    const three = { accounts: 0, posts_per_day: 0, ai_images_per_month: 0 };
    const { days_left, ...figures } = usage[1][0];
    assert.ok(days_left >= 28);
    assert.deepEqual(figures, { ...three, storage_gb: 500, seats: null }, 'unlimited has no figure');
    assert.deepEqual([usage[2][0].storage_gb, usage[2][0].seats, usage[2][0].accounts], [0, 0, 1]);
    assert.deepEqual((await panel.say('metric names')).answer, {
      accounts: 'Accounts',
      posts_per_day: 'Posts per day',
      ai_images_per_month: 'AI images per month',
      storage_gb: 'Storage (GB)',
      seats: 'Seats (people)',
      days_left: 'Days left',
    });
    const reads = panel.logged().match(/listLimits/g);
    assert.equal(reads?.length, 1, 'read once and kept, as the packages are');
    await tool.undo();
  });

  test('a limit with the name of another row does not take its place', async () => {
    const limit = '/api/admin/v1/limits/mode';
    const definition = { name: { en: 'Mode' }, kind: 'text' };
    expectStatus(await service.admin.send('PUT', limit, definition), 200);
    const account = await testAccount();
    const panel = await install(account);
    const prices = { monthly: '1.00', quarterly: '2.00', yearly: '3.00' };
    const { id } = expectStatus(
      await service.admin.post('/api/admin/v1/packages', {
        name: 'Odd',
        limits: { mode: 'dark' },
        prices: { reseller: prices, distributor: prices },
      }),
      201,
    ).package;
    await panel.say('product', { id: 1, options: [id, panel.prefix] });
    await order(panel, 1);
    assert.equal((await panel.say('create', { service: 1 })).answer, 'success');
    const tab = (await panel.say('admin tab', { service: 1 })).answer;
    assert.match(tab.Mode, /<strong>Test mode: /);
    assert.equal(tab['Mode '], 'dark');
    expectStatus(await service.admin.patch(`/api/admin/v1/packages/${id}`, { retired: true }), 200);
    expectStatus(await service.admin.send('DELETE', limit), 200);
  });

  test('two services of one client are two customers, each with a plan of its own', async () => {
    const account = await testAccount();
    const panel = await install(account);
    await order(panel, 1);
    await order(panel, 2, 2);
    for (const id of [1, 2]) await panel.say('create', { service: id });
    await panel.say('suspend', { service: 1 });
    const [one, two] = [
      await customerOf(account, `${panel.prefix}-1`),
      await customerOf(account, `${panel.prefix}-2`),
    ];
    assert.deepEqual([one.plan.package, one.plan.active], ['Basic', false]);
    assert.deepEqual([two.plan.package, two.plan.active], ['Plus', true]);
    const usage = (await panel.say('usage')).answer;
    assert.deepEqual(
      usage[2].map(({ days_left, ...limits }: { days_left: number }) => {
        assert.ok(days_left >= 28 && days_left <= 31);
        return limits;
      }),
      Array(2).fill({ accounts: 1, posts_per_day: 2, ai_images_per_month: 3 }),
    );
    assert.equal(usage[1][0].accounts, 0, 'a suspended plan allows nothing');
  });

  describe('the daily cron', () => {
    test('moves due dates forward to what is paid, takes over what was ended, and reports the rest', async () => {
      const account = await testAccount();
      const panel = await install(account);
      for (const id of [1, 2, 3, 4, 5, 6, 7]) {
        await order(panel, id, id === 6 ? 5 : 1);
        await panel.say('create', { service: id });
      }
      const ids = Object.fromEntries(
        (await customersOf(account)).map((customer: { reference: string; id: number }) => [
          Number(customer.reference.split('-').at(-1)),
          customer.id,
        ]),
      );
      const endOf = async (id: number) =>
        (await account.get(`/customers/${ids[id]}`)).body.customer.plan.expires_at.slice(0, 10);
      // Service 1 agrees on both sides; 2 and 6 were renewed in Sellthrough's panel; 3 was suspended and 4 canceled there; 5
      // is paid for longer than it was renewed; 7 was suspended only here.
      for (const id of [1, 3, 4, 7])
        await panel.say('set', { service: id, field: 'nextduedate', value: await endOf(id) });
      for (const id of [2, 6]) {
        await panel.say('set', { service: id, field: 'nextduedate', value: await endOf(id) });
        expectStatus(
          await account.post('/orders', {
            package_id: service.packages.basic,
            customer: `${panel.prefix}-${id}`,
          }),
          201,
        );
      }
      expectStatus(await account.post(`/customers/${ids[3]}/suspend`, {}), 200);
      expectStatus(await account.post(`/customers/${ids[4]}/cancel`, { at: 'now' }), 200);
      await panel.say('set', { service: 5, field: 'nextduedate', value: '2099-01-01' });
      await panel.say('set', { service: 7, field: 'domainstatus', value: 'Suspended' });

      const { activity } = await panel.say('daily cron');
      const seen = async (id: number) => (await panel.say('admin tab', { service: id })).service;
      const emitted = (id: number) =>
        activity.filter((line) => line.startsWith(`Sellthrough, Service ID: ${id}:`)).join();
      assert.equal(emitted(1), '');
      assert.match(emitted(2), /is paid until \d{4}-\d\d-\d\d, and the service is due on .* Taken over\.$/);
      assert.equal((await seen(2)).due, await endOf(2));
      assert.match(emitted(3), /was suspended at Sellthrough\. Taken over\.$/);
      assert.equal((await seen(3)).status, 'Suspended');
      assert.match(emitted(4), /was cancelled at Sellthrough on .* Taken over\.$/);
      assert.equal((await seen(4)).status, 'Cancelled');
      assert.match(emitted(5), /The client has paid until 2099-01-01, and the plan ends on/);
      assert.equal((await seen(5)).due, '2099-01-01', 'what the client has paid is not taken back');
      assert.match(emitted(6), /is due on [\d-]+ already\.$/);
      assert.notEqual((await seen(6)).due, await endOf(6), 'this product only reports');
      assert.match(emitted(7), /can still use the plan: run Suspend again/);
      assert.equal((await seen(7)).status, 'Suspended');

      // Changes that were adopted no longer differ on the next day.
      assert.doesNotMatch((await panel.say('daily cron')).activity.join('\n'), /ID: [234]:/);
      await advance(account, 'P3M');
      const later = await panel.say('daily cron');
      assert.match(later.activity.join('\n'), /ID: 1: The plan ended on/);
    });

    test('says that the service is away, and changes nothing', async () => {
      const panel = await install(await testAccount());
      await order(panel, 1);
      await panel.say('create', { service: 1 });
      await panel.say('server', { server: { serverhostname: '127.0.0.1', serverport: '1' } });
      const { activity } = await panel.say('daily cron', { service: 1 });
      assert.equal(activity.length, 1);
      assert.match(activity[0] ?? '', /^Sellthrough: Sellthrough did not answer/);
    });
  });

  test('a service that the module made when it was an example goes on with the same customer', async () => {
    const account = await testAccount();
    const panel = await install(account);
    const key = `${panel.prefix}-9-create-1x1-after-0`;
    const body = { package_id: service.packages.basic, customer: `${panel.prefix}-9`, months: 1 };
    const placed = expectStatus(await account.post('/orders', body, { 'idempotency-key': key }), 201).order;
    await order(panel, 9);
    const kept = { order_id: placed.id, customer_id: placed.customer.id, key, body };
    await panel.say('keep', { service: 9, state: JSON.stringify(kept) });
    assert.equal((await panel.say('change', { service: 9, product: 3 })).answer, 'success');
    assert.equal((await customersOf(account)).length, 1);
    assert.equal((await panel.say('sign on', { service: 9 })).answer.success, true);
  });

  test('an order that waits for the operator’s product is said to, and one that the product refuses is ordered again', async () => {
    const account = await service.createReseller({ credit: '100.00' });
    const panel = await install(account);
    // The product is never called in this test, so orders wait until they are settled by hand.
    const product = {
      url: 'http://127.0.0.1:9/hook',
      mode: 'confirm',
      secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    };
    expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', product), 200);
    const settle = async (deed: 'accept' | 'fail') => {
      const [{ id }] = (await account.get('/orders')).body.data;
      const answer = await service.admin.post(
        `/api/admin/v1/orders/${id}/${deed}`,
        deed === 'fail' ? { reason: 'full' } : {},
      );
      expectStatus(answer, 200);
    };
    try {
      await order(panel, 1);
      assert.equal((await panel.say('create', { service: 1 })).answer, 'success');
      await panel.say('set', { service: 1, field: 'nextduedate', value: '2026-03-15' });
      for (const step of ['renew', 'create', 'terminate']) {
        assert.match(
          (await panel.say(step, { service: 1 })).answer,
          /^An order for this customer still waits for the operator’s product\. Nothing was charged\./,
          step,
        );
      }
      assert.equal(await balanceOf(account), '90.00');
      await settle('fail');
      assert.equal(await balanceOf(account), '100.00');
      assert.equal((await panel.say('create', { service: 1 })).answer, 'success');
      await settle('accept');
      assert.equal(await balanceOf(account), '90.00');
      assert.equal((await panel.say('renew', { service: 1 })).answer, 'success');
      await settle('fail');
      assert.equal(await balanceOf(account), '90.00', 'the renewal is paid back');
      assert.equal((await panel.say('renew', { service: 1 })).answer, 'success', 'and ordered once more');
      await settle('accept');
      assert.equal(
        (await panel.say('renew', { service: 1 })).answer,
        'success',
        'which is once for this date',
      );
      assert.equal(await balanceOf(account), '80.00');
    } finally {
      expectStatus(await service.admin.send('DELETE', '/api/admin/v1/product'), 200);
    }
  });

  test('a plan that is left to run out at termination goes on when the service is created again', async () => {
    const account = await testAccount();
    const panel = await install(account);
    await order(panel, 1, 5);
    await panel.say('create', { service: 1 });
    await panel.say('set', { service: 1, field: 'nextduedate', value: '2026-03-15' });
    assert.equal((await panel.say('renew', { service: 1 })).answer, 'success');
    assert.equal((await panel.say('terminate', { service: 1 })).answer, 'success');
    assert.equal((await customerOf(account, `${panel.prefix}-1`)).plan.ends_at_period_end, true);
    assert.equal(await balanceOf(account), '980.00', 'nothing is given back');
    assert.equal((await panel.say('create', { service: 1 })).answer, 'success');
    assert.equal(await balanceOf(account), '970.00', 'the client has paid again');
    assert.equal((await customerOf(account, `${panel.prefix}-1`)).plan.ends_at_period_end, false);
    assert.equal((await panel.say('renew', { service: 1 })).answer, 'success');
    assert.equal(await balanceOf(account), '960.00', 'for the same date, in another life of the service');
  });
});
