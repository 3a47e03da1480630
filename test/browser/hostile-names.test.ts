// Hostile names, memos and features are shown literally on every page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';
import { withoutGuards } from '../../src/shared/csv-text.ts';
import { changeAccount } from '../harness/shop.ts';
import { dialog, goInPlace, heading, row } from './panel-actions.ts';
import { untilTrue, usePanelBrowser } from './panel-browser.ts';

const nameLengthMax = 120;
const featuresMax = 100;

/** One of each kind. The gate opens only these. */
const kinds: readonly string[] = [
  '<script>document.title = "owned"; alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '</title><script src=//evil.example/x.js></script>',
  '<style>* { display: none }</style>',
  '&lt;b&gt; &amp;amp; &#60;i&#62; &nbsp;',
  '{{constructor.constructor("alert(1)")()}}',
  '\u0024{alert(1)} <%= 7 * 7 %> #{7*7}',
  '<!-- ]]> --> <![CDATA[',
  'unclosed \u202E override',
  'שלום, עולם 123',
  'W'.repeat(nameLengthMax),
];
const own: readonly string[] = [
  ...kinds,
  '\'"><iframe src=//evil.example></iframe>',
  '</td></tr></table><h1>out of the table',
  '<base href=//evil.example/>',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  '<a href=javascript:alert(1)>click</a>',
  '\u202Eevil.exe\u202C.txt',
  'unclosed \u2067 isolate \u2066 and \u202B embedding',
  '\u200Fmark \u061C of \u200E direction',
  'مرحبا (بالعالم) 456',
  '=1+1',
  '=HYPERLINK("http://evil.example","click")',
  "=cmd|'/C calc'!A0",
  '+1-2',
  '-1+2',
  '@SUM(A1:A9)',
  '%0A=1+1',
  '\uFF1D1+1',
  '\u200B=1+1',
  '"=1+1"',
  'a,b;c\td'.replace('\t', '\u2028'),
  '\u200B\u200B',
  'Z\u0337\u0321a\u0337\u0322l\u0337\u0323g\u0337\u0324o\u0337\u0325',
  '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🇺🇳',
  '__proto__',
  'constructor',
];
const opened = process.env['TEST_GATE'] === '1' ? kinds : own;
const names = hostileNames();
let reseller: TestAccount;
const customerIds = new Map<string, number>();
const panel = usePanelBrowser(async (service) => {
  reseller = await service.createReseller({ credit: '900000.00' });
  await placeOrders(service, opened);
  await changeAccount(service, reseller, { display_name: own[0] ?? '' });
});

test('there are more than 500 names, and every one is taken @nightly', async () => {
  assert.ok(names.length > 500, `${names.length} names`);
  assert.equal(new Set(names).size, names.length);
  await takeAll();
});

test('the list of customers shows every name as text @nightly', async () => {
  await takeAll();
  const page = await panel.openAs(reseller, '/panel/customers');
  const shown = await overAllPages(page, () => page.getByRole('table').getByRole('link').allTextContents());
  assert.deepEqual(shown.sort(), [...names].sort());
});

test('the ledger shows every memo as text, and its CSV computes none @nightly', async () => {
  await takeAll();
  const page = await panel.openAs(reseller, '/panel/ledger');
  const rows = await overAllPages(page, () => page.getByRole('row').allTextContents());
  const missing = names.filter((memo) => !rows.some((text) => text.includes(`${memo} (by admin)`)));
  assert.deepEqual(missing, []);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export as CSV' }).click(),
  ]);
  const [head = [], ...lines] = readCsv(await readFile(await download.path(), 'utf8'));
  const column = head.indexOf('memo');
  const memos = lines.map((line) => line[column] ?? '').filter((memo) => memo !== '');
  // The apostrophe marks a cell as text for spreadsheets.
  assert.deepEqual(memos.map(withoutGuards).sort(), [...names].sort());
  for (const memo of memos) assert.doesNotMatch(memo, /^[\s\p{Cf}]*[=+\-@＝＋－＠]/u);
});

test('the pages of a customer, the palette and the dialogs show a hostile name as text', async () => {
  const page = await panel.openAs(reseller);
  await heading(page, 'Overview').waitFor();
  for (const name of opened) {
    await goInPlace(page, `/panel/customers/${customerIds.get(name)}`);
    await titled(page, name);
    assert.equal(await page.evaluate('document.title'), `${name} · Sellthrough`.replace(/ +/g, ' '));
    await page.getByRole('button', { name: 'Login link' }).click();
    const asked = dialog(page, 'Create a login link?');
    const sentence = `logged in as ${name}.`;
    await untilTrue(async () => (await asked.textContent())?.includes(sentence) ?? false, sentence);
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'hidden' });
  }
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'Search pages, customers and orders' });
  for (const name of kinds.slice(0, 5)) {
    await box.fill(name);
    await page.getByRole('option').filter({ hasText: name }).waitFor();
  }
});

test('the console shows hostile names of accounts and customers as text, also in its log of changes @nightly', async () => {
  const page = await panel.openAs(panel.service.admin, `/panel/admin/accounts/${reseller.id}`);
  const [name = ''] = own;
  await page.getByRole('main').getByText(name, { exact: true }).waitFor();
  await goInPlace(page, '/panel/admin/accounts');
  await page.getByRole('main').getByText(name, { exact: true }).waitFor();
  for (const text of own.slice(0, 5)) {
    await goInPlace(page, `/panel/admin/customers?q=${encodeURIComponent(text)}`);
    await row(page, text).getByRole('link').first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await dialog(page, /^Suspend .*\?$/s)
      .getByRole('button', { name: 'Suspend' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).waitFor();
  }
  for (const [index, text] of own.entries()) {
    await changeAccount(panel.service, reseller, { display_name: text });
    if (index % 20 === 19) await seeInAuditLog(page, own.slice(index - 19, index + 1));
  }
});

test('a name that turns the direction of writing does not turn what stands after it', async () => {
  const { service } = panel;
  const account = await service.createReseller();
  await changeAccount(service, account, { display_name: 'turned \u202E around' });
  await changeAccount(service, account, { display_name: 'straight on' });
  const page = await panel.openAs(service.admin, '/panel/admin/audit');
  const change = row(page, 'straight on').first();
  const before = await change.getByRole('deletion').boundingBox();
  const after = await change.getByRole('insertion').boundingBox();
  assert.ok(before !== null && after !== null);
  assert.ok(after.x >= before.x + before.width || after.y >= before.y + before.height, 'old, then new');
});

test('packages of hostile names and features are shown as text where they are edited, ordered and used @nightly', async () => {
  const { service } = panel;
  const price = { monthly: '1.00', quarterly: '3.00', yearly: '12.00' };
  const packages: { id: number; name: string; features: readonly string[] }[] = [];
  for (let from = 0; from < names.length; from += featuresMax) {
    const features = names.slice(from, from + featuresMax);
    const name = own[packages.length] ?? '';
    const answer = await service.admin.post('/api/admin/v1/packages', {
      name,
      features,
      limits: { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 },
      prices: { reseller: price, distributor: price },
    });
    assert.equal(answer.status, 201, answer.text);
    packages.push({ id: answer.body.package.id, name, features });
  }
  const console = await panel.openAs(service.admin, '/panel/admin/packages');
  for (const { name } of packages) await console.getByRole('link', { name, exact: true }).waitFor();
  const customer = await panel.open('/customer');
  for (const { id, name, features } of packages) {
    await goInPlace(console, `/panel/admin/packages/${id}`);
    await titled(console, name);
    await console.getByLabel(`Feature ${features.length}`, { exact: true }).waitFor();
    const typed = await console.evaluate(
      "[...document.querySelectorAll('li input')].map(({ value }) => value)",
    );
    assert.deepEqual(typed, features);

    const body = { package_id: id, customer: 'of-packages', customer_name: own[1], return_login: true };
    const placed = await reseller.post('/orders', body);
    await customer.goto(placed.body.login_url);
    await customer.getByRole('button', { name: 'Continue' }).click();
    await customer.getByRole('button', { name: 'Log out' }).waitFor();
    assert.equal(await heading(customer, /.*/).locator('bdi').textContent(), name);
    assert.deepEqual(await customer.getByRole('listitem').allTextContents(), features);
  }
  const page = await panel.openAs(reseller, '/panel/orders');
  await row(page, 'of-packages').first().waitFor();
  await page.getByRole('button', { name: 'Place an order' }).first().click();
  const box = dialog(page, 'Place an order');
  for (const { name } of packages) await box.getByText(name, { exact: true }).waitFor();
});

let taken: Promise<void> | undefined;

/** An order and a credit of each name, for the tests that look at all of them. */
function takeAll(): Promise<void> {
  taken ??= (async () => {
    const { service } = panel;
    await placeOrders(
      service,
      names.filter((name) => !customerIds.has(name)),
    );
    const credits = names.map((memo) => async () => {
      const body = { amount: '0.01', memo };
      const answer = await service.admin.post(`/api/admin/v1/accounts/${reseller.id}/credit`, body);
      assert.equal(answer.status, 201, answer.text);
    });
    await inGroups(credits);
  })();
  return taken;
}

async function placeOrders({ packages }: TestService, chosen: readonly string[]): Promise<void> {
  const orders = chosen.map((name) => async () => {
    const customer = `hostile-${names.indexOf(name)}`;
    const body = { package_id: packages.basic, customer, customer_name: name };
    const answer = await reseller.post('/orders', body);
    assert.equal(answer.status, 201, answer.text);
    customerIds.set(name, answer.body.order.customer.id);
  });
  await inGroups(orders);
}

async function overAllPages(page: Page, read: () => Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    await page.getByRole('row').nth(1).waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    found.push(...(await read()));
    const older = page.getByRole('link', { name: 'Older' });
    if ((await older.count()) === 0 || (await older.getAttribute('href')) === null) return found;
    const first = () => page.getByRole('row').nth(1).textContent();
    const last = await first();
    await older.click();
    await untilTrue(async () => (await first()) !== last, 'an older page of the list');
  }
}

async function titled(page: Page, text: string): Promise<void> {
  const title = page.locator('h1').first();
  await untilTrue(async () => (await title.textContent()) === text, `a page with the title ${text}`);
}

async function seeInAuditLog(page: Page, texts: readonly string[]): Promise<void> {
  await page.goto('/panel/admin/audit');
  await page.getByRole('row').nth(20).waitFor();
  const rows = await page.getByRole('row').allTextContents();
  assert.deepEqual(
    texts.filter((text) => !rows.some((shown) => shown.includes(text))),
    [],
  );
}

async function inGroups(work: readonly (() => Promise<void>)[]): Promise<void> {
  const size = 50;
  for (let from = 0; from < work.length; from += size) {
    await Promise.all(work.slice(from, from + size).map((one) => one()));
  }
}

/** The part of the corpus that can be names (no control characters), and our own texts. */
function hostileNames(): readonly string[] {
  const corpus: readonly string[] = JSON.parse(
    readFileSync(new URL('../corpora/naughty-strings.json', import.meta.url), 'utf8'),
  );
  const pieces = corpus.flatMap((text) => {
    const letters = [...text.toWellFormed().replace(/\p{Cc}/gu, ' ')];
    const starts = Array.from(
      { length: Math.ceil(letters.length / nameLengthMax) },
      (_, at) => at * nameLengthMax,
    );
    return starts.map((start) =>
      letters
        .slice(start, start + nameLengthMax)
        .join('')
        .trim(),
    );
  });
  const formulas = pieces.slice(0, 60).map((text) => `=${text}`.slice(0, nameLengthMax));
  return [...new Set([...own, ...pieces, ...formulas])].filter((text) => text !== '');
}

function readCsv(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n|$)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\n') lines.push([]);
  }
  return lines.filter((line) => line.length > 1);
}
