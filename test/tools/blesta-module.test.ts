// The Blesta module, unpacked from its zip. A stand-in calls it as Blesta's documents say, against a real service.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { integrationsVersion, packModule, panels } from '../../scripts/build-integrations.ts';
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

interface Installed extends BillingPanel {
  readonly prefix: string;
}

test('the zips are the same bytes each time, and every file in them names the same version', () => {
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  for (const panel of panels) {
    const { name, bytes, files } = packModule(panel);
    assert.equal(digest(bytes), digest(packModule(panel).bytes));
    assert.equal(name, `sellthrough-${panel}-${integrationsVersion()}.zip`);
    const manifests = [...files].filter(([path]) => /(?:whmcs|config)\.json$/.test(path));
    assert.equal(manifests.length, 1);
    assert.equal(JSON.parse(manifests[0]?.[1].toString('utf8') ?? '').version, integrationsVersion());
    for (const needed of ['lib/load.php', 'lib/texts/german.php', 'README.md', 'sellthrough.php']) {
      assert.ok(
        [...files.keys()].some((path) => path.endsWith(`/sellthrough/${needed}`)),
        needed,
      );
    }
  }
});

test('German has every text that English has, with the same words to fill in', () => {
  const texts = (path: string) => {
    const source = readFileSync(new URL(`../../integrations/${path}`, import.meta.url), 'utf8');
    const found = [...source.matchAll(/^\s*(?:\$lang\[)?'([\w.!]+)'(?: =>|\] =) '(.*)'[,;]$/gm)];
    return new Map(
      found.map(([, name = '', text = '']) => [name, [...text.matchAll(/\{\w+\}/g)].flat().sort()]),
    );
  };
  const module = 'blesta/components/modules/sellthrough/language';
  for (const [english, german, least] of [
    ['shared/texts/english.php', 'shared/texts/german.php', 70],
    [`${module}/en_us/sellthrough.php`, `${module}/de_de/sellthrough.php`, 40],
  ] as const) {
    assert.ok(texts(english).size >= least, `${texts(english).size} texts`);
    assert.deepEqual(texts(german), texts(english));
  }
});

describe('the module for Blesta', { skip: phpIsMissing ?? false }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sellthrough-blesta-'));
  let service: TestService;
  let proxy: CuttingProxy;
  let module: string;
  const opened: BillingPanel[] = [];

  before(async () => {
    service = await startTestService();
    proxy = await startCuttingProxy(service.address);
    module = unpackModule('blesta', folder);
  });
  after(async () => {
    for (const panel of opened) await panel.close();
    await proxy.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const rowOf = ({ key }: TestAccount, prefix: string, address = service.address) => ({
    account_name: 'Northwind',
    address,
    api_key: key,
    prefix,
  });
  async function install(account: TestAccount, address = service.address): Promise<Installed> {
    const panel = openPanel('blesta', module, folder);
    opened.push(panel);
    const prefix = `bl${opened.length}`;
    assert.deepEqual((await panel.say('row', { id: 1, vars: rowOf(account, prefix, address) })).answer, [
      'api_key',
    ]);
    const { basic, plus } = service.packages;
    for (const [id, package_id] of [
      [1, basic],
      [2, plus],
    ]) {
      const meta = {
        package_id: String(package_id),
        cost_limit: '',
        termination: 'now',
        step: 'apply',
        email: 'on',
      };
      assert.equal((await panel.say('package', { id, row: 1, meta })).answer, 'added');
    }
    const client = { first_name: 'Ada', last_name: 'Lovelace', company: '', email: 'ada@example.com' };
    await panel.say('client', { id: 7, client });
    return { ...panel, prefix };
  }
  async function order(panel: BillingPanel, id: number, more: object = {}): Promise<void> {
    const said = await panel.say('service', {
      id,
      package: 1,
      client: 7,
      due: '2026-02-15 00:00:00',
      ...more,
    });
    assert.equal(said.answer, 'added');
  }
  const due = (panel: BillingPanel, id: number, day: string) =>
    panel.say('set', { service: id, field: 'date_renews', value: `${day} 00:00:00` });
  const testAccount = async () => testModeOf(service, await service.createReseller());
  const balanceOf = async (account: TestAccount) => (await account.get('/balance')).body.balance as string;
  const customersOf = async (account: TestAccount) => (await account.get('/customers')).body.data;
  const customerOf = async (account: TestAccount, reference: string) =>
    (await customersOf(account)).find((customer: { reference: string }) => customer.reference === reference);
  const refusal = (answer: Record<string, Record<string, string>>) =>
    Object.values(answer ?? {})
      .flatMap(Object.values)
      .join();

  test('a service lives: activated once, renewed once, changed, suspended, let in, cancelled, and activated again', async () => {
    const account = await testAccount();
    const panel = await install(account);
    const reference = `${panel.prefix}-31`;
    await order(panel, 31);
    assert.equal(await balanceOf(account), '1000.00', 'a pending service costs nothing');

    for (const time of ['first', 'again']) {
      assert.equal((await panel.say('activate', { service: 31 })).answer, 'success', time);
      assert.equal(await balanceOf(account), '990.00', time);
    }
    const made = await customerOf(account, reference);
    assert.deepEqual([made.name, made.external_ref], ['Ada Lovelace <ada@example.com>', '31']);
    await due(panel, 31, '2026-03-15');
    for (const time of ['first', 'again']) {
      assert.equal((await panel.say('renew', { service: 31 })).answer, 'success', time);
      assert.equal(await balanceOf(account), '980.00', `${time}: one renewal date, one charge`);
    }
    // The prefix was changed later, together with the package. The customer stays the same, and unused time is refunded.
    await panel.say('row', { id: 1, vars: rowOf(account, `${panel.prefix}b`) });
    assert.equal((await panel.say('change', { service: 31, package: 2 })).answer, 'success');
    assert.equal(await balanceOf(account), '975.00');
    assert.deepEqual(
      (await customersOf(account)).map((one: { reference: string }) => one.reference),
      [reference],
    );

    const suspended = await panel.say('suspend', { service: 31, reason: 'Invoice unpaid' });
    assert.deepEqual([suspended.answer, suspended.service.status], ['success', 'suspended']);
    assert.equal((await customerOf(account, reference)).plan.status, 'suspended');
    assert.equal((await account.get(`/customers/${made.id}/history`)).body.data[0].reason, 'Invoice unpaid');
    assert.equal((await panel.say('unsuspend', { service: 31 })).answer, 'success');

    const tab = await panel.say('tab', { service: 31, for: 'client', post: { action: 'login' } });
    const [, secret = ''] = /href="http[^"]*\/login\/([\w-]{43})"/.exec(tab.answer.html) ?? [];
    assert.equal(secret.length, 43, tab.answer.html);
    assert.match(panel.logged(), /login_url/, 'the answer that had the link is in the log');
    assert.ok(!panel.logged().includes(secret), 'the link is not');
    assert.ok(!panel.logged().includes(account.key), 'nor is the key');

    await panel.say('suspend', { service: 31 });
    await advance(account, 'P10D');
    for (const time of ['first', 'again']) {
      const ended = await panel.say('cancel', { service: 31 });
      assert.deepEqual([ended.answer, ended.service.status], ['success', 'canceled'], time);
    }
    assert.ok(Number(await balanceOf(account)) > 990);
    assert.equal((await panel.say('activate', { service: 31 })).answer, 'success');
    assert.equal(
      (await customerOf(account, reference)).plan.active,
      true,
      'nothing of the suspension is left',
    );
  });

  test('a version that passes fields in place of the number charges once as well, and a version that passes neither not at all', async () => {
    const account = await testAccount();
    const panel = await install(account, proxy.address);
    await order(panel, 1);
    proxy.cutAnswers(4, 'before');
    const lost = await panel.say('activate', { service: 1, 'without number': true });
    assert.match(refusal(lost.answer), /^Sellthrough did not answer/);
    assert.equal(lost.service.status, 'pending');
    assert.equal((await panel.say('activate', { service: 1, 'without number': true })).answer, 'success');
    assert.equal(await balanceOf(account), '990.00');
    const refused = (await panel.say('add at once', { package: 1, client: 7 })).answer;
    assert.match(refusal(refused), /Add the service as pending, and activate it then/);
    assert.equal(await balanceOf(account), '990.00');
  });

  test('an order whose answer was lost is settled before the next, and nothing is touched until then', async () => {
    const account = await testAccount();
    const panel = await install(account, proxy.address);
    await order(panel, 1);
    proxy.cutAnswers(4, 'middle');
    assert.match(
      refusal((await panel.say('activate', { service: 1 })).answer),
      /nothing is charged twice\.$/,
    );
    assert.equal((await panel.say('activate', { service: 1 })).answer, 'success');
    await due(panel, 1, '2026-03-15');
    proxy.cutAnswers(4, 'before');
    assert.match(refusal((await panel.say('renew', { service: 1 })).answer), /^Sellthrough did not answer/);
    assert.equal(await balanceOf(account), '980.00');
    await panel.say('cron', { key: 'keep_in_step' });
    assert.match(panel.logged(), /keep_in_step 1 The answer to the last order is outstanding/);
    await due(panel, 1, '2026-04-15');
    assert.equal((await panel.say('renew', { service: 1 })).answer, 'success');
    assert.equal(await balanceOf(account), '970.00', 'two invoices, two charges');
  });

  test('what cannot be done is said in plain words, in the reader’s language', async () => {
    const poor = await service.createReseller({ credit: '15.00' });
    const panel = await install(poor);
    await order(panel, 1, { package: 2 });
    assert.match(
      refusal((await panel.say('activate', { service: 1 })).answer),
      /^The balance at Sellthrough is too low: it is 15\.00 USD, and 25\.00 USD is needed\. Nothing was charged\./,
    );
    const meta = { package_id: String(service.packages.basic), cost_limit: '9' };
    await panel.say('package', { id: 3, row: 1, meta });
    await panel.say('language', { language: 'de_de' });
    await order(panel, 3, { package: 3 });
    assert.match(
      refusal((await panel.say('activate', { service: 3 })).answer),
      /^Der Preis hat sich geändert: 10\.00 USD würden berechnet, .* erlaubt 9\.00\. Es wurde nichts berechnet\.$/,
    );
    await order(panel, 4, { package: 1, pricing: 3 });
    assert.match(
      refusal((await panel.say('activate', { service: 4 })).answer),
      /^Der Abrechnungszeitraum „2 week“ kann bei Sellthrough nicht bestellt werden/,
    );
    await panel.say('language', { language: 'en_us' });
    for (const step of ['renew', 'suspend', 'unsuspend', 'change']) {
      assert.equal(
        refusal((await panel.say(step, { service: 3, package: 2 })).answer),
        'This service has not been created at Sellthrough yet.',
        step,
      );
    }
    assert.equal(await balanceOf(poor), '15.00');
    await order(panel, 6);
    assert.equal((await panel.say('activate', { service: 6 })).answer, 'success');
    const { html } = (await panel.say('tab', { service: 6, for: 'admin' })).answer;
    assert.match(
      html,
      /5\.00 USD\s*<strong>Low: if all plans renew, it runs out on \d{4}-\d\d-\d\d\.<\/strong>/,
    );
    assert.ok(html.includes(`href="${service.address}/panel/top-ups" target="_blank"`));
    // Another package uses another account, where this plan does not exist.
    const other = await service.createReseller({ credit: '50.00' });
    await panel.say('row', { id: 2, vars: rowOf(other, `${panel.prefix}x`) });
    await panel.say('package', { id: 4, row: 2, meta: { ...meta, cost_limit: '' } });
    assert.match(
      refusal((await panel.say('change', { service: 6, package: 4 })).answer),
      /^The new package belongs to another account at Sellthrough/,
    );
  });

  test('accounts are tried when they are saved, and a test account is not to be overlooked', async () => {
    const account = await testAccount();
    const panel = await install(account);
    const refusedRow = async (more: object) =>
      (await panel.say('row', { id: 9, vars: { ...rowOf(account, 'x'), ...more } })).answer;
    assert.deepEqual(
      Object.keys(await refusedRow({ account_name: '', address: 'sell', prefix: 'a b', api_key: '' })),
      ['account_name', 'address', 'api_key', 'prefix'],
    );
    assert.match(
      refusal(await refusedRow({ api_key: 'sk_live_wrong' })),
      /^Sellthrough does not know this API key\./,
    );
    assert.match(refusal(await refusedRow({ address: 'http://127.0.0.1:1' })), /^Sellthrough did not answer/);
    const managed = (await panel.say('manage', { vars: {} })).answer;
    assert.match(managed, /Northwind\s*<strong class="badge[^>]*>Test<\/strong>/);
    assert.ok(!managed.includes(account.key));
    assert.match((await panel.say('add row page', { vars: {} })).answer, /name="prefix"/);
    assert.match((await panel.say('edit row page', { id: 1 })).answer, /value="Northwind"/);

    const { fields } = (await panel.say('package fields', { row: 1 })).answer;
    assert.deepEqual(Object.values(fields['meta[package_id]']), [
      '[Test] Basic: 10.00 USD a month',
      '[Test] Plus: 25.00 USD a month',
    ]);
    assert.deepEqual(
      Object.keys(
        (await panel.say('package', { id: 9, row: 1, meta: { package_id: '', cost_limit: 'x' } })).answer,
      ),
      ['meta[package_id]', 'meta[cost_limit]'],
    );
    await order(panel, 1);
    assert.match(
      (await panel.say('tab', { service: 1, for: 'client' })).answer.html,
      /Your plan is being set up\./,
    );
    await panel.say('activate', { service: 1 });
    for (const who of ['client', 'admin']) {
      const { title, html, info } = (await panel.say('tab', { service: 1, for: who })).answer;
      assert.equal(title, 'Plan');
      assert.match(html, /role="status">Test mode: /);
      assert.match(html, /Posts per day<\/th><td>2</);
      assert.match(info, new RegExp(`${panel.prefix}-1<`));
    }
  });

  test('limits are what the operator defines, in the language of the page', async () => {
    const tool = await sellProjectTool(service);
    const panel = await install(await testAccount());
    const meta = { package_id: String(tool.packageId), cost_limit: '', termination: 'now', step: 'apply' };
    assert.equal((await panel.say('package', { id: 3, row: 1, meta })).answer, 'added');
    await order(panel, 1, { package: 3 });
    assert.equal((await panel.say('activate', { service: 1 })).answer, 'success');
    const shown = async () => {
      const { html } = (await panel.say('tab', { service: 1, for: 'client' })).answer;
      const rows: RegExpExecArray[] = [...html.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g)];
      return rows.slice(4, -1).map(([, label, value]) => `${label}: ${value}`);
    };
    assert.deepEqual(await shown(), [
      'Storage: 500 GB',
      'Seats: unlimited',
      'Single sign-on: yes',
      '&lt;b&gt;Support&lt;/b&gt;: By mail &amp; phone',
    ]);
    await panel.say('language', { language: 'de_de' });
    assert.deepEqual(await shown(), [
      'Speicher: 500 GB',
      'Plätze: unbegrenzt',
      'Single sign-on: ja',
      '&lt;b&gt;Support&lt;/b&gt;: By mail &amp; phone',
    ]);
    await tool.undo();
  });

  test('packages away: the page says so and keeps what was chosen', async () => {
    const account = await testAccount();
    const panel = await install(account);
    const away = await startCuttingProxy(service.address);
    await panel.say('row', { id: 3, vars: rowOf(account, 'y', away.address) });
    await away.close();
    const { fields, html } = (await panel.say('package fields', { row: 3, meta: { package_id: '77' } }))
      .answer;
    assert.match(html, /The packages cannot be read\. Sellthrough did not answer/);
    assert.deepEqual(fields['meta[package_id]'], { 77: '77' });
  });

  test('what comes from elsewhere is escaped on the pages', async () => {
    const account = await testAccount();
    const panel = await install(account);
    await order(panel, 1);
    await panel.say('activate', { service: 1 });
    const evil = '<b onclick="x">';
    await panel.say('row', { id: 1, vars: { ...rowOf(account, panel.prefix), account_name: evil } });
    const managed = (await panel.say('manage', { vars: {} })).answer;
    assert.ok(!managed.includes(evil) && managed.includes('&lt;b onclick=&quot;x&quot;&gt;'));
  });

  test('the daily task is installed, moves dates forward, takes over what was ended, reports the rest, and is removed', async () => {
    const account = await testAccount();
    const panel = await install(account);
    const [version, name, tasks, runs] = (await panel.say('install')).answer;
    assert.deepEqual([version, name], [integrationsVersion(), 'Sellthrough']);
    assert.equal(tasks.keep_in_step.name, 'Compare services with Sellthrough');
    assert.deepEqual(runs, { 1: { enabled: 1, time: '05:30:00' } });

    for (const id of [1, 2, 3, 4, 5]) {
      await order(panel, id);
      assert.equal((await panel.say('activate', { service: id })).answer, 'success');
    }
    const idOf = async (id: number) => (await customerOf(account, `${panel.prefix}-${id}`)).id;
    const endOf = async (id: number) =>
      (await customerOf(account, `${panel.prefix}-${id}`)).plan.expires_at.slice(0, 10);
    for (const id of [1, 2, 3, 4]) await due(panel, id, await endOf(id));
    await due(panel, 5, '2099-01-01');
    const more = { package_id: service.packages.basic, customer: `${panel.prefix}-2` };
    expectStatus(await account.post('/orders', more), 201);
    expectStatus(await account.post(`/customers/${await idOf(3)}/suspend`, {}), 200);
    expectStatus(await account.post(`/customers/${await idOf(4)}/cancel`, { at: 'now' }), 200);

    const { log } = await panel.say('cron', { key: 'keep_in_step' });
    const emitted = (id: number) => log.filter((line) => line.includes(`keep_in_step ${id} `)).join();
    const seen = async (id: number) => (await panel.say('tab', { service: id, for: 'admin' })).service;
    assert.equal(emitted(1), '');
    assert.match(emitted(2), /is paid until .* Taken over\.$/);
    assert.equal((await seen(2)).due, await endOf(2));
    assert.match(emitted(3), /was suspended at Sellthrough\. Taken over\.$/);
    assert.equal((await seen(3)).status, 'suspended');
    assert.match(emitted(4), /was cancelled at Sellthrough on .* Taken over\.$/);
    assert.equal((await seen(4)).status, 'canceled');
    assert.match(emitted(5), /The client has paid until 2099-01-01/);
    assert.equal((await seen(5)).due, '2099-01-01');
    const pressed = await panel.say('tab', { service: 1, for: 'admin', post: { action: 'compare' } });
    assert.match(pressed.answer.html, /The service is in step with Sellthrough\./);

    assert.deepEqual((await panel.say('uninstall')).answer, [[], []]);
  });
});
