// The documents as served: built from Markdown (by `npm test`), without external or inline parts.

import assert from 'node:assert/strict';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { downloads, isSearched, pageAddress, pageSources } from '../../docs/.vitepress/page-list.ts';
import { clientsVersion, packClients } from '../../scripts/build-clients.ts';
import { packModule, panels } from '../../scripts/build-integrations.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { builtDocsFolder } from '../../src/service/docs-pages.ts';
import { openPage } from '../harness/browser-request.ts';
import { pngFile } from '../harness/logo-files.ts';
import { rawRequest, sendRaw } from '../harness/raw-socket.ts';
import { expectStatus } from '../harness/refusals.ts';

let folder: string;
let service: TestService;
let bare: TestService;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sellthrough-docs-'));
  const dist = join(folder, 'dist');
  cpSync(builtDocsFolder, dist, { recursive: true });
  writeFileSync(join(folder, 'outside.html'), 'outside');
  writeFileSync(join(dist, '.built-from'), 'hidden');
  service = await startTestService({ docsFolder: dist });
  bare = await startTestService();
});
after(async () => {
  await service.close();
  await bare.close();
  rmSync(folder, { recursive: true });
});

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const pages = pageSources.map((source) => ({ source, address: `/docs${pageAddress(source)}` }));

test('every page of the list is served under its address, with its heading, and under a strict policy', async () => {
  assert.ok(pages.length > 150);
  for (const { source, address } of pages) {
    const page = await openPage(service.address, 'GET', address);
    assert.equal(page.status, 200, address);
    assert.equal(page.headers.get('content-security-policy'), policy);
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    assert.match(page.headers.get('content-type') ?? '', /^text\/html; ?charset=utf-8$/i);
    const heading = /^# (.+)$/m.exec(readFileSync(new URL(`../../${source}`, import.meta.url), 'utf8'))?.[1];
    const shown = /<h1 id="[^"]+"[^>]*>(.+?) <a class="header-anchor"/.exec(page.text)?.[1];
    assert.equal(
      shown?.replace(/<[^>]*>/g, '').replaceAll('&#39;', "'"),
      heading?.replaceAll('`', ''),
      source,
    );
    assert.ok(page.text.includes(`href="${address}"`), `${source} is in its own navigation`);
  }
});

test('the icon is SVG in UTF-8', async () => {
  const { status, headers } = await openPage(service.address, 'GET', '/docs/icon.svg');
  assert.equal(`${status} ${headers.get('content-type')}`, '200 image/svg+xml; charset=utf-8');
});

test('no page loads anything from elsewhere or contains an inline script, style or handler', async () => {
  const wanted = new Set<string>();
  for (const { address } of [...pages, { address: '/docs/nowhere' }]) {
    const { text } = await openPage(service.address, 'GET', address);
    const loaded = [...text.matchAll(/<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)="([^"]*)"/g)];
    assert.ok(loaded.length >= 3, `${address} has its style, script and icon`);
    for (const [tag, each = ''] of loaded) {
      assert.match(each, /^\/docs\/(?:assets\/(?:chunks\/)?[\w@.-]+|icon\.svg)$/, tag);
      wanted.add(each);
    }
    assert.doesNotMatch(text, /<[a-z][^>]*\s(?:style|on[a-z]+)=/i, address);
    assert.doesNotMatch(text, /<style|<script(?![^>]*\bsrc=)/i, address);
  }
  for (const each of wanted) {
    assert.equal((await openPage(service.address, 'GET', each)).status, 200, each);
  }
});

test('the search looks into all pages but those of contributors', async () => {
  const [index = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: builtDocsFolder });
  const { default: text }: { default: string } = await import(join(builtDocsFolder, index));
  const { documentIds }: { documentIds: Readonly<Record<string, string>> } = JSON.parse(text);
  const found = new Set(Object.values(documentIds).map((id) => id.replace(/#.*$/, '')));
  const searched = pageSources.filter(isSearched).map((source) => `/docs${pageAddress(source)}`);
  assert.deepEqual([...found].sort(), searched.sort());
  assert.ok(!found.has('/docs/asvs') && !found.has('/docs/decisions/0017-the-gate'));
});

test('every link between pages leads to a page and, with a #, to a heading of it', async () => {
  const texts = new Map<string, string>();
  for (const { address } of pages) {
    texts.set(address, (await openPage(service.address, 'GET', address)).text);
  }
  for (const [from, text] of texts) {
    for (const [, href = ''] of text.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/g)) {
      if (/^(?:[a-z]+:|\/panel\/$)/.test(href)) continue;
      if (href.startsWith('/docs/downloads/')) {
        const answer = await fetch(service.address + href, { method: 'HEAD' });
        assert.equal(answer.status, 200, `${from} links to ${href}`);
        continue;
      }
      const { pathname, hash } = new URL(href, `http://docs${from}`);
      const target = texts.get(pathname);
      assert.ok(target !== undefined, `${from} links to ${href}`);
      assert.ok(hash === '' || target.includes(`id="${hash.slice(1)}"`), `${from} links to ${href}`);
    }
  }
});

test('clients and examples are handed out as they are in the repository, and the packed one has the version it names', async () => {
  const sources = Object.keys(downloads).filter((source) => source.startsWith('examples/'));
  assert.equal(sources.length, 2);
  for (const source of sources) {
    const path = `/docs/downloads/${source.split('/').at(-1)}`;
    const answer = await fetch(service.address + path);
    assert.equal(
      await answer.text(),
      readFileSync(new URL(`../../${source}`, import.meta.url), 'utf8'),
      path,
    );
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
  }
  const listed = (await openPage(service.address, 'GET', '/docs/downloads')).text;
  for (const name of Object.values(downloads)) {
    assert.ok(listed.includes(`href="/docs/downloads/${name}"`), `/docs/downloads lists ${name}`);
  }
  for (const { name, bytes } of [...packClients(), ...panels.map(packModule)]) {
    const answer = await fetch(`${service.address}/docs/downloads/${name}`);
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes), name);
    assert.equal(answer.headers.get('content-type'), 'application/zip');
  }
  for (const [page, file] of [
    ['php-client', `sellthrough-php-${clientsVersion()}.zip`],
    ['python-client', `sellthrough-${clientsVersion()}-py3-none-any.whl`],
  ]) {
    const guide = (await openPage(service.address, 'GET', `/docs/${page}`)).text;
    assert.ok(guide.includes(`href="/docs/downloads/${file}" download`), file);
    assert.ok(guide.includes(`https://sell.example.com/docs/downloads/${file}`), 'as it is printed');
  }
  const readme = (await openPage(service.address, 'GET', '/docs/typescript-client')).text;
  const link = /href="(\/docs\/downloads\/sellthrough-client-([\d.]+)\.tgz)" download/.exec(readme);
  const [, path = '', version = ''] = link ?? [];
  const { name, ...manifest } = JSON.parse(
    readFileSync(new URL('../../sdk/package.json', import.meta.url), 'utf8'),
  );
  assert.deepEqual([name, version], ['@sellthrough/client', manifest.version]);
  assert.ok(readme.includes(`https://sell.example.com${path}`), 'the printed address is also the link');
  const answer = await fetch(service.address + path);
  assert.equal(answer.headers.get('content-type'), 'application/gzip');
  assert.equal(answer.headers.get('content-encoding'), null);
  assert.ok(gunzipSync(await answer.bytes()).includes('package/dist/commonjs/index.js'));
  for (const gone of ['', 'sellthrough', 'sellthrough.rb', '..tgz', '.hidden.py'])
    assert.equal((await fetch(`${service.address}/docs/downloads/${gone}`)).status, 404, gone);
});

test('a page is asked for again and answered with 304; its assets are kept forever and go out compressed', async () => {
  const address = `${service.address}/docs/rate-limits`;
  const first = await fetch(address, { headers: { 'accept-encoding': 'br' } });
  assert.equal(first.headers.get('cache-control'), 'no-cache');
  const etag = first.headers.get('etag') ?? '';
  assert.notEqual(etag, '');
  // Do not use fetch: it bypasses its cache if a condition is set by hand.
  const lines = [
    'GET /docs/rate-limits HTTP/1.1',
    'Host: x',
    'Accept-Encoding: br',
    `If-None-Match: ${etag}`,
  ];
  const { answers } = await sendRaw(service.address, rawRequest(lines));
  assert.deepEqual([answers[0]?.status, answers[0]?.text], [304, '']);
  assert.equal(first.headers.get('content-encoding'), 'br');
  assert.match(first.headers.get('content-type') ?? '', /^text\/html/);
  const text = await first.text();
  const plain = await fetch(address, { headers: { 'accept-encoding': 'identity' } });
  assert.deepEqual([plain.headers.get('content-encoding'), await plain.text()], [null, text]);

  const stylesheet = /href="(\/docs\/assets\/style\.[\w-]+\.css)"/.exec(text)?.[1];
  const asset = await fetch(service.address + stylesheet, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(asset.status, 200);
  assert.equal(asset.headers.get('content-encoding'), 'gzip');
  assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.doesNotMatch(await asset.text(), /url\(["']?(?:https?:)?\/\/|@import/);
});

test('the operator’s name and logo stand in each page, and a change of them has an ETag of its own', async () => {
  const none = { name: null, colour: null, letterhead: [], support_address: null, language: 'en' };
  const set = async (change: object) =>
    expectStatus(await service.admin.send('PUT', '/api/admin/v1/brand', { ...none, ...change }), 200);
  const get = async (path: string, encoding: string) => {
    const answer = await fetch(service.address + path, { headers: { 'accept-encoding': encoding } });
    return { answer, text: await answer.text(), etag: answer.headers.get('etag') ?? '' };
  };
  const path = '/docs/rate-limits';
  const own = await get(path, 'identity');
  const name = 'Müller </title><script>$& "Co"';
  const written = 'Müller &lt;/title&gt;&lt;script&gt;$&amp; &quot;Co&quot;';
  await set({ name });
  const named = await get(path, 'identity');
  const icon = /<link rel="icon" href="(\/brand\/icon\.svg\?v=\d+)">/.exec(named.text)?.[1] ?? '';
  const expected = own.text
    .replace(' · Sellthrough</title>', () => ` · ${written}</title>`)
    .replace(
      'name="application-name" content="Sellthrough"',
      () => `name="application-name" content="${written}"`,
    )
    .replace('class="site-name">Sellthrough<', () => `class="site-name">${written}<`)
    .replace(/<link rel="icon"[^>]*>/, `<link rel="icon" href="${icon}">`)
    .replace('name="site-logo" content="/docs/icon.svg"', `name="site-logo" content="${icon}"`)
    .replace('class="site-logo" src="/docs/icon.svg"', `class="site-logo" src="${icon}"`);
  assert.equal(named.text, expected);
  assert.equal((await openPage(service.address, 'GET', icon)).status, 200);

  for (const encoding of ['br', 'gzip', 'identity']) {
    for (const _again of [1, 2]) {
      const { answer, text, etag } = await get(path, encoding);
      assert.equal(text, expected, encoding);
      assert.equal(answer.headers.get('content-encoding'), encoding === 'identity' ? null : encoding);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(answer.headers.get('content-security-policy'), policy);
      assert.deepEqual(
        ['cache-control', 'vary'].map((header) => answer.headers.get(header)),
        ['no-cache', 'accept-encoding'],
      );
      assert.notEqual(etag, own.etag);
      assert.equal(await statusFor(path, encoding, etag), 304);
      assert.equal(await statusFor(path, encoding, own.etag), 200);
    }
  }
  const missing = await get('/docs/nowhere', 'br');
  assert.equal(missing.answer.status, 404);
  assert.ok(missing.text.includes(`content="${written}"`));
  assert.equal(await statusFor('/docs/nowhere', 'br', '*'), 404);
  const head = await fetch(service.address + path, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);

  const data = pngFile({ width: 100, height: 20 }).toString('base64');
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/brand/logo', { data }), 200);
  const before = named.etag;
  const withLogo = await get(path, 'identity');
  assert.match(withLogo.text, /<img class="site-logo" src="\/brand\/logo\?v=\d+" alt>/);
  assert.match(withLogo.text, /<link rel="icon" href="\/brand\/icon\.svg\?v=\d+">/, 'a wide logo is no icon');
  assert.equal(await statusFor(path, 'identity', before), 200);
  await set({});
  const unnamed = await get(path, 'identity');
  assert.match(unnamed.text, /src="\/brand\/logo\?v=\d+" alt><bdi class="site-name">Sellthrough</);
  assert.match(unnamed.text, /<link rel="icon" href="\/docs\/icon\.svg"/);
  expectStatus(await service.admin.send('DELETE', '/api/admin/v1/brand/logo'), 200);
  assert.deepEqual(await get(path, 'identity').then(({ text, etag }) => [text, etag]), [own.text, own.etag]);
});

/** Does not use fetch, which bypasses its cache if a condition is set by hand. */
async function statusFor(path: string, encoding: string, etag: string): Promise<number | undefined> {
  const headers = ['Host: x', `Accept-Encoding: ${encoding}`, `If-None-Match: ${etag}`];
  const { answers } = await sendRaw(service.address, rawRequest([`GET ${path} HTTP/1.1`, ...headers]));
  return answers[0]?.status;
}

test('what is no page gets the page that says so; nothing hidden or beside the folder is served', async () => {
  for (const path of [
    '/docs/nowhere',
    '/docs/reference',
    '/docs/index.html',
    '/docs/404',
    '/docs/assets/style.css',
  ]) {
    const page = await openPage(service.address, 'GET', path);
    assert.equal(page.status, 404, path);
    assert.match(page.text, /There is no such page/);
  }
  for (const path of [
    '/docs/../outside',
    '/docs/..%2foutside',
    '/docs/%2e%2e/outside',
    '/docs//outside',
    '/docs/.built-from',
    '/docs/assets/../.built-from',
    '/docs/%00',
  ]) {
    const { answers } = await sendRaw(service.address, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.ok(answers[0] !== undefined && answers[0].status < 500, path);
    assert.doesNotMatch(answers[0].text, /^outside$|^hidden$/, path);
  }
});

test('/docs without a slash is the first page, HEAD has no body, other methods are not taken', async () => {
  assert.equal((await openPage(service.address, 'GET', '/docs')).status, 200);
  const head = await fetch(`${service.address}/docs/errors`, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  for (const path of ['/docs', '/docs/', '/docs/errors', '/docs/reference/orders', '/docs/nowhere']) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await fetch(service.address + path, { method });
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD'], `${method} ${path}`);
    }
  }
});

test('without a build a plain sentence says how to make one', async () => {
  for (const path of ['/docs', '/docs/', '/docs/errors']) {
    const page = await openPage(bare.address, 'GET', path);
    assert.equal(page.status, 503);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.match(page.text, /The documents are not built yet/);
  }
});
