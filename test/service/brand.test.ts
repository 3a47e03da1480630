import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { URI } from 'otpauth';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { changeBrand } from '../../src/features/brand/brand-store.ts';
import { jpegFile, pngChunk, pngFile } from '../harness/logo-files.ts';
import { signIn, testPassword } from '../harness/panel-client.ts';
import { addPerson } from '../harness/people.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';

const api = '/api/admin/v1';
const blank = { name: null, colour: null, letterhead: [], support_address: null, language: 'en' } as const;
const own = {
  name: 'Contoso <Hosting> & "Sons"',
  colour: '#0F766E',
  letterhead: ['Contoso Ltd', '1 Harbour Street'],
  support_address: 'help@contoso.example',
  language: 'de',
} as const;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const shown = async () =>
  expectStatus(await createApiClient(service.address, null).get('/panel/api/brand'), 200);
const upload = (bytes: Buffer) =>
  service.admin.send('PUT', `${api}/brand/logo`, { data: bytes.toString('base64') });
const open = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.address + path, { headers });

test('nothing is set at first: the product’s own name and colors', async () => {
  const anonymous = { name: null, colour: null, logo: null, support_address: null, language: 'en' };
  assert.deepEqual(await shown(), anonymous);
  assert.equal((await open('/brand/logo')).status, 404);
  const css = await open('/brand/brand.css');
  assert.equal(css.status, 200);
  assert.doesNotMatch(await css.text(), /--accent/);
});

test('what the owner sets is shown to everybody at once and is in the audit log', async () => {
  const { brand } = expectStatus(await service.admin.send('PUT', `${api}/brand`, own), 200);
  assert.deepEqual(brand, { ...own, colour: '#0f766e', logo: null });
  const { letterhead: _, ...everybodys } = brand;
  assert.deepEqual(await shown(), everybodys);
  const [entry] = (await service.admin.get(`${api}/audit?limit=1`)).body.data;
  assert.equal(entry.action, 'brand.update');
  assert.equal(entry.after.name, own.name);
  assert.equal(entry.before.name, null);
});

test('the color is in a stylesheet that is sent once and holds nothing but colors', async () => {
  const first = await open('/brand/brand.css');
  const etag = first.headers.get('etag') ?? '';
  const css = await first.text();
  assert.match(css, /--accent: #0f766e;/);
  assert.match(css, /^[\s:@a-z0-9{}#;()=[\]-]+$/);
  assert.equal(first.headers.get('content-type'), 'text/css; charset=utf-8');
  assert.equal((await open('/brand/brand.css', { 'if-none-match': etag })).status, 304);
  expectStatus(await service.admin.send('PUT', `${api}/brand`, { ...own, colour: '#7c2d12' }), 200);
  const next = await open('/brand/brand.css', { 'if-none-match': etag });
  assert.equal(next.status, 200);
  assert.match(await next.text(), /--accent: #7c2d12;/);
});

test('a logo is served as what it is by its bytes, without what cameras say, and sent once', async () => {
  for (const [file, type, width, height] of [
    [
      pngFile({ more: [pngChunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>'))] }),
      'image/png',
      40,
      20,
    ],
    [jpegFile(), 'image/jpeg', 30, 10],
  ] as const) {
    const { brand } = expectStatus(await upload(file), 200);
    const { url, ...facts } = brand.logo;
    assert.deepEqual(facts, { type, width, height });
    for (const path of [url, '/brand/logo']) {
      const answer = await open(path);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), type);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      const bytes = Buffer.from(await answer.arrayBuffer());
      for (const said of ['script', 'Exif', 'taken at', 'behind'])
        assert.equal(bytes.includes(said), false, said);
      const again = await open(path, { 'if-none-match': answer.headers.get('etag') ?? '' });
      assert.equal(again.status, 304);
    }
  }
  const { brand } = expectStatus(await service.admin.send('DELETE', `${api}/brand/logo`), 200);
  assert.equal(brand.logo, null);
  assert.equal(brand.name, own.name);
  assert.equal((await open('/brand/logo')).status, 404);
});

test('a file that is not a picture, or not one that every program shows, is refused with its reason', async () => {
  const whole = pngFile();
  const flipped = Buffer.from(whole);
  flipped[60] = (flipped[60] ?? 0) ^ 1;
  const cases: readonly [Buffer, RegExp][] = [
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), /PNG or a JPEG/],
    [Buffer.from('GIF89a..........'), /PNG or a JPEG/],
    [whole.subarray(0, -20), /cannot be read/],
    [flipped, /cannot be read/],
    [pngFile({ packed: Buffer.from('not packed') }), /cannot be read/],
    // This picture would crash the PDF library.
    [pngFile({ packed: deflateSync(Buffer.alloc(121 * 20, 9)) }), /cannot be read/],
    [pngFile({ more: [pngChunk('IHDR', pngFile({ width: 60_000 }).subarray(16, 29))] }), /cannot be read/],
    [pngFile({ width: 1_500, height: 1_400 }), /two million/],
    [pngFile({ width: 4_000, height: 2 }), /2048 pixels/],
    [pngFile({ width: 400, height: 10 }), /8 times the other/],
    [pngFile({ depth: 16 }), /16 bits/],
    [pngFile({ interlace: 1 }), /interlaced/],
    [jpegFile({ components: 4 }), /RGB or grey/],
    [jpegFile().subarray(0, 30), /cannot be read/],
    [jpegFile({ width: 0 }), /cannot be read/],
  ];
  for (const [file, reason] of cases) {
    const answer = await upload(file);
    expectRefusal(answer, '422 validation_failed');
    assert.match(answer.body.error.details.reason, reason);
  }
  const tooLarge = pngFile({ more: [pngChunk('tEXt', Buffer.alloc(262_144, 65))] });
  expectRefusal(await upload(tooLarge), '422 validation_failed');
  assert.equal((await shown()).logo, null);
});

test('what cannot be shown or written to is refused', async () => {
  for (const wrong of [
    { name: '   ' },
    { name: 'x'.repeat(61) },
    { name: 'a\u0007b' },
    { colour: 'red' },
    { colour: '#fff;}body{display:none}' },
    { letterhead: [''] },
    { letterhead: ['a\nb'] },
    { letterhead: Array.from({ length: 9 }, () => 'line') },
    { support_address: 'no-such' },
    { language: 'fr' },
  ]) {
    const answer = await service.admin.send('PUT', `${api}/brand`, { ...blank, ...wrong });
    expectRefusal(answer, '422 validation_failed');
    assert.equal(answer.body.error.details.field.split('.')[0], Object.keys(wrong)[0]);
  }
});

test('only an owner of the operator’s sets it', async () => {
  for (const role of ['support', 'finance', 'viewer'] as const) {
    const { panel } = await addPerson(service, service.admin, role);
    expectStatus(await panel.get('/admin/v1/brand'), 200);
    expectRefusal(await panel.put('/admin/v1/brand', own), '403 insufficient_scope');
    expectRefusal(await panel.put('/admin/v1/brand/logo', { data: '' }), '403 insufficient_scope');
    expectRefusal(await panel.delete('/admin/v1/brand/logo'), '403 insufficient_scope');
  }
  const reseller = await service.createReseller();
  expectRefusal(await reseller.send('PUT', `${api}/brand`, own), '403 forbidden');
});

test('an authenticator names the service as its operator does', async () => {
  const panel = await signIn(service, await service.createReseller());
  const begin = async (name: string | null) => {
    expectStatus(await service.admin.send('PUT', `${api}/brand`, { ...blank, name }), 200);
    const { uri } = expectStatus(await panel.post('/totp', { password: testPassword }), 201);
    return URI.parse(uri);
  };
  assert.equal((await begin('Müller & Söhne: "Hosting"?')).issuer, 'Müller & Söhne  "Hosting"?');
  assert.equal((await begin(null)).issuer, 'Sellthrough');
});

test('what shows the brand goes through the proxies of deploy/proxies', () => {
  for (const [file, line] of [
    ['nginx.conf', /location \/brand\/ \{ proxy_pass/],
    ['haproxy.cfg', /acl public path_beg .*\/brand\/ /],
    ['Caddyfile', /@public path .*\/brand\/\*/],
  ] as const) {
    assert.match(readFileSync(new URL(`../../deploy/proxies/${file}`, import.meta.url), 'utf8'), line, file);
  }
});

test('what was set through another process is shown here', async () => {
  const author = { actorId: service.admin.id, now: service.clock.seconds };
  const settings = { name: 'Set elsewhere', color: null, letterhead: [], supportAddress: null } as const;
  await changeBrand(service.database, { ...settings, language: 'en' }, author);
  let asked = 0;
  while ((await shown()).name !== settings.name) {
    asked += 1;
    assert.ok(asked < 1_000, 'it is noticed');
  }
});
