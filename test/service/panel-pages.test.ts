// The pages as served: one index for all paths, another one before the sign-in, immutable assets, nothing from other hosts.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { openPage } from '../harness/browser-request.ts';
import { pngFile } from '../harness/logo-files.ts';
import { ownPages, signIn } from '../harness/panel-client.ts';
import { sendRaw } from '../harness/raw-socket.ts';
import { expectPrivate, expectStatus } from '../harness/refusals.ts';

const shell = 'b { color: red }';
const icon = '<link rel="icon" type="image/svg+xml" href="/panel/icon.svg" />';
const early = 'early()';
const index = `<!doctype html><meta name="application-name" content="own" />${icon}<title>the pages</title><script>${early}</script><style>${shell}</style><noscript></noscript>`;
const entry = index.replace('the pages', 'the sign-in').replace(early, 'entryEarly()');
const script = 'export {};';

let folder: string;
let service: TestService;
let bare: TestService;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sellthrough-pages-'));
  const dist = join(folder, 'dist');
  mkdirSync(join(dist, 'assets'), { recursive: true });
  writeFileSync(join(dist, 'index.html'), index);
  writeFileSync(join(dist, 'entry.html'), entry);
  writeFileSync(join(dist, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(dist, 'assets', 'main-B4x_a-9.js'), script);
  writeFileSync(join(dist, 'assets', 'main-B4x_a-9.js.gz'), gzipSync(script));
  writeFileSync(join(dist, 'assets', '.hidden'), 'hidden');
  writeFileSync(join(folder, 'outside.txt'), 'outside');
  service = await startTestService({ pagesFolder: dist });
  bare = await startTestService();
});
after(async () => {
  await service.close();
  await bare.close();
  rmSync(folder, { recursive: true });
});

const policyWith = (scripts: string, styles: string) =>
  `default-src 'none'; script-src ${scripts}; style-src ${styles}; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;
const withHashes = (...inline: readonly string[]) =>
  ["'self'", ...inline.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)].join(
    ' ',
  );

const session = { cookie: `sellthrough=7.${'a'.repeat(43)}` };

test('every path of the panel gives the same index.html, which no one keeps', async () => {
  for (const path of [
    '/panel',
    '/panel/',
    '/panel/orders',
    '/panel/orders/2000000001?a=b',
    '/panel/index.html',
    '/panel/entry.html',
    '/panel/a.b/c',
  ]) {
    const page = await openPage(service.address, 'GET', path, session);
    assert.deepEqual([page.status, page.text], [200, index], path);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.match(page.headers.get('content-type') ?? '', /^text\/html; ?charset=utf-8$/i);
  }
});

test('without the cookie of a session every path gives the sign-in, and its own addresses give it to everyone', async () => {
  for (const [path, headers] of [
    ['/panel/', {}],
    ['/panel/orders?kind=renew', {}],
    ['/panel/', { cookie: 'sellthrough=7.short' }],
    ['/panel/', { cookie: '__Host-sellthrough=of-another-service' }],
    ['/panel/sign-in', session],
    ['/panel/sign-in?next=%2Forders', session],
    ['/panel/reset-password/', session],
  ] as const) {
    const page = await openPage(service.address, 'GET', path, headers);
    assert.deepEqual([page.status, page.text], [200, entry], path);
    assert.equal(page.headers.get('cache-control'), 'no-store');
  }
  assert.equal((await openPage(service.address, 'GET', '/panel/sign-in-again', session)).text, index);
});

test('the operator’s name, icon and color stand in the page from its first byte, no matter what the name holds', async () => {
  const none = { name: null, colour: null, letterhead: [], support_address: null, language: 'en' };
  const set = async (change: object) => {
    expectStatus(await service.admin.send('PUT', '/api/admin/v1/brand', { ...none, ...change }), 200);
    return (await openPage(service.address, 'GET', '/panel/orders', session)).text;
  };
  const logo = (height: number) => {
    const data = pngFile({ width: 40, height }).toString('base64');
    return service.admin.send('PUT', '/api/admin/v1/brand/logo', { data });
  };
  const name = 'Müller </title><script>$& "Co"';
  const written = 'Müller &lt;/title&gt;&lt;script&gt;$&amp; &quot;Co&quot;';
  const named = await set({ name, colour: '#0f766e' });
  const [, letter = ''] = /<link rel="icon" href="(\/brand\/icon\.svg\?v=\d+)">/.exec(named) ?? [];
  assert.equal(
    named,
    index
      .replace('content="own" />', () => `content="${written}">`)
      .replace(icon, `<link rel="icon" href="${letter}">`)
      .replace('the pages', () => written)
      .replace('<noscript>', '<link rel="stylesheet" href="/brand/brand.css">\n    <noscript>'),
  );
  const { headers, text } = await openPage(service.address, 'GET', letter);
  assert.match(headers.get('content-type') ?? '', /^image\/svg\+xml/);
  assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
  assert.match(text, /fill="#0f766e".*>M<\/text>/);
  assert.match(
    await set({ name: '<&' })
      .then(() => openPage(service.address, 'GET', letter))
      .then((page) => page.text),
    />&lt;<\/text>/,
  );
  expectStatus(await logo(10), 200);
  assert.match(await set({ name }), /href="\/brand\/icon\.svg/, 'a logo that is wide is no icon');
  expectStatus(await logo(40), 200);
  assert.match(await set({ name }), /<link rel="icon" href="\/brand\/logo\?v=\d+">/);
  expectStatus(await service.admin.send('DELETE', '/api/admin/v1/brand/logo'), 200);
  assert.equal(await set({}), index);
  assert.equal((await openPage(service.address, 'GET', letter)).status, 404);
});

test('assets are kept forever; an asset that is missing is not the index', async () => {
  const asset = await openPage(service.address, 'GET', '/panel/assets/main-B4x_a-9.js');
  assert.deepEqual([asset.status, asset.text], [200, script]);
  assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.match(asset.headers.get('content-type') ?? '', /^(?:text|application)\/javascript/);
  const icon = await openPage(service.address, 'GET', '/panel/icon.svg');
  assert.match(icon.headers.get('content-type') ?? '', /^image\/svg\+xml/);
  assert.match(icon.headers.get('cache-control') ?? '', /max-age=3600/);
  for (const missing of ['/panel/assets/old-123.js', '/panel/assets/']) {
    const answer = await openPage(service.address, 'GET', missing);
    assert.equal(answer.status, 404, missing);
    assert.match(answer.text, /"not_found"/);
  }
});

test('an asset is compressed for clients that accept it, and plain for the others', async () => {
  const path = `${service.address}/panel/assets/main-B4x_a-9.js`;
  const compressed = await fetch(path, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(compressed.headers.get('content-encoding'), 'gzip');
  assert.match(compressed.headers.get('content-type') ?? '', /javascript/);
  assert.equal(await compressed.text(), script);
  const plain = await fetch(path, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  assert.equal(await plain.text(), script);
});

test('the icon is SVG in UTF-8', async () => {
  const { status, headers } = await openPage(service.address, 'GET', '/panel/icon.svg');
  assert.equal(`${status} ${headers.get('content-type')}`, '200 image/svg+xml; charset=utf-8');
});

test('every page says what may be loaded, and by whom it may be shown', async () => {
  for (const path of [
    '/panel/',
    '/panel/assets/main-B4x_a-9.js',
    '/panel/assets/missing.js',
    '/panel/icon.svg',
  ]) {
    for (const [{ address }, policy] of [
      [service, policyWith(withHashes(early, 'entryEarly()'), withHashes(shell))],
      [bare, policyWith("'self'", "'self'")],
    ] as const) {
      const { headers } = await openPage(address, 'GET', path);
      assert.equal(headers.get('content-security-policy'), policy, path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
      assert.equal(headers.get('set-cookie'), null);
    }
  }
});

test('nothing beside the folder is served, however the path is spelled', async () => {
  for (const path of [
    '/panel/../outside.txt',
    '/panel/..%2foutside.txt',
    '/panel/%2e%2e/outside.txt',
    '/panel/assets/../../outside.txt',
    '/panel/assets/..%2f..%2foutside.txt',
    '/panel/assets/%2e%2e/%2e%2e/outside.txt',
    '/panel//outside.txt',
    '/panel/assets/.hidden',
    '/panel/assets/%2ehidden',
    '/panel/assets\\..\\..\\outside.txt',
    `/panel/${'x/'.repeat(3_000)}`,
    '/panel/%00',
  ]) {
    const { answers } = await sendRaw(service.address, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [answer] = answers;
    assert.ok(answer !== undefined && answer.status < 500, path);
    assert.doesNotMatch(answer.text, /outside|hidden$/, path);
  }
});

test('without a build a plain page says how to make one', async () => {
  const page = await openPage(bare.address, 'GET', '/panel/orders');
  assert.equal(page.status, 503);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  assert.match(page.text, /npm run build --workspace web/);
});

test('the root leads to the panel; other methods and paths stay what they were', async () => {
  const root = await openPage(service.address, 'GET', '/');
  assert.deepEqual([root.status, root.headers.get('location')], [302, '/panel/']);
  expectPrivate(root, 'it may lead elsewhere one day');
  for (const path of ['/healthz', '/readyz', '/metrics'])
    expectPrivate(await openPage(service.address, 'GET', path), path);
  assert.equal((await openPage(service.address, 'POST', '/panel/orders')).status, 404);
  assert.equal((await openPage(service.address, 'GET', '/panels')).status, 404);
  assert.equal((await openPage(service.address, 'GET', '/panel/api')).status, 401);
  assert.equal((await openPage(service.address, 'GET', '/panel/api/nowhere')).status, 401);
  const head = await fetch(`${service.address}/panel/orders`, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
});

test('a list is compressed for clients that accept it; short answers and compressed requests are not', async () => {
  const reseller = await service.createReseller();
  const { cookie } = await signIn(service, reseller);
  const ask = (path: string, accepted: string) =>
    fetch(`${service.address}/panel/api${path}`, { headers: { cookie, 'accept-encoding': accepted } });
  const plain = await ask('/overview?days=60', 'identity');
  assert.equal(plain.headers.get('content-encoding'), null);
  const text = await plain.text();
  assert.ok(text.length > 1_024, `${text.length} characters`);
  for (const encoding of ['br', 'gzip']) {
    const answer = await ask('/overview?days=60', encoding);
    assert.equal(answer.headers.get('content-encoding'), encoding);
    assert.match(answer.headers.get('vary') ?? '', /accept-encoding/i);
    assert.equal(await answer.text(), text);
  }
  assert.equal((await ask('/v1/balance', 'br, gzip')).headers.get('content-encoding'), null);
  const sent = await fetch(`${service.address}/panel/api/v1/orders`, {
    method: 'POST',
    headers: { cookie, ...ownPages, 'content-encoding': 'gzip' },
    body: gzipSync('{}'),
  });
  assert.equal((await sent.json()).error.code, 'invalid_json');
});
