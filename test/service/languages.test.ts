// Pages for customers, in their language. Remaining time is rounded so that customers never come too late.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { cookieOf, openPage, type Page, pathOfLink } from '../harness/browser-request.ts';
import { pngFile } from '../harness/logo-files.ts';
import { expectStatus } from '../harness/refusals.ts';
import { secondsOf } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ limits: { sessionValidSeconds: 90 * 86_400 } });
});
after(() => service.close());

const api = '/api/admin/v1';
const get = (path: string, headers?: Record<string, string>) =>
  openPage(service.address, 'GET', path, headers);
const wordsOf = ({ text }: Page) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
const languageOf = ({ text }: Page) => /<html lang="(\w+)">/.exec(text)?.[1];

let customers = 0;

async function customerSignedIn() {
  service.clock.seconds = secondsOf('2026-01-15T12:00:00Z');
  customers += 1;
  const account = await service.createReseller({ credit: '100.00' });
  const body = { package_id: service.packages.basic, customer: `ada-${customers}`, return_login: true };
  const placed = expectStatus(await account.post('/orders', body), 201);
  const cookie = cookieOf(await openPage(service.address, 'POST', pathOfLink(placed.login_url)));
  return { account, customerId: placed.order.customer.id, cookie };
}

test('a page is in the language of its link, else the kept one, else the browser’s, else the operator’s', async () => {
  for (const [accepted, language] of [
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['fr-FR,fr;q=0.9,en;q=0.5,de;q=0.3', 'en'],
    ['en-GB', 'en'],
    ['fr', 'en'],
    ['*', 'en'],
    [';;;,,q=', 'en'],
  ] as const) {
    assert.equal(languageOf(await get('/customer', { 'accept-language': accepted })), language, accepted);
  }
  const asked = await get('/customer?language=de', { 'accept-language': 'en' });
  assert.equal(languageOf(asked), 'de');
  assert.match(wordsOf(asked), /Sie sind nicht angemeldet/);
  const kept = cookieOf(asked);
  assert.equal(languageOf(await get('/customer', { cookie: kept, 'accept-language': 'en' })), 'de');
  assert.equal(languageOf(await get('/customer?language=en', { cookie: kept })), 'en');
  for (const odd of ['fr', 'de; Path=/x', '<script>']) {
    const page = await get(`/customer?language=${encodeURIComponent(odd)}`);
    assert.equal(languageOf(page), 'en');
    assert.deepEqual(page.headers.getSetCookie(), []);
  }
  const settings = { name: null, colour: null, letterhead: [], support_address: null, language: 'de' };
  expectStatus(await service.admin.send('PUT', `${api}/brand`, settings), 200);
  assert.equal(languageOf(await get('/customer')), 'de', 'no language was requested');
  assert.equal(languageOf(await get('/customer', { 'accept-language': 'en' })), 'en');
  expectStatus(await service.admin.send('PUT', `${api}/brand`, { ...settings, language: 'en' }), 200);
});

test('below two days hours are left, then minutes, and the bar is empty at the end', async () => {
  const { cookie } = await customerSignedIn();
  const at = async (time: string) => {
    service.clock.seconds = secondsOf(time);
    const page = await get('/customer', { cookie });
    const [, value = '', max = ''] = /<progress [^>]*value="(\d+)" max="(\d+)"/.exec(page.text) ?? [];
    return { words: wordsOf(page), share: Number(value) / Number(max) };
  };
  for (const [time, words, share] of [
    ['2026-01-15T12:00:00Z', '31 days left', 1],
    ['2026-02-13T12:00:00Z', '2 days left', 2 / 31],
    ['2026-02-13T12:00:01Z', '47 hours left', 2 / 31],
    ['2026-02-15T03:00:00Z', '9 hours left', 9 / 24 / 31],
    ['2026-02-15T11:00:00Z', '1 hour left', 1 / 24 / 31],
    ['2026-02-15T11:58:30Z', '1 minute left', 0],
    ['2026-02-15T11:59:30Z', 'Less than a minute left', 0],
  ] as const) {
    const shown = await at(time);
    assert.ok(shown.words.includes(words), `${time}: ${shown.words}`);
    assert.ok(Math.abs(shown.share - share) < 0.001, `${time}: ${shown.share}`);
  }
  const ended = await get('/customer', { cookie });
  assert.match(ended.text, /title="February 15, 2026, 12:00 UTC">February 15, 2026</);
  service.clock.seconds = secondsOf('2026-02-15T12:00:00Z');
  const over = await get('/customer', { cookie });
  assert.match(wordsOf(over), /Expired .*Ended February 15, 2026 To continue/);
  assert.doesNotMatch(over.text, /<progress|Renewal/);
});

test('the page says plainly whether the plan renews itself, ends or was cancelled, in German too', async () => {
  const { account, customerId, cookie } = await customerSignedIn();
  const words = async () => wordsOf(await get('/customer', { cookie, 'accept-language': 'de' }));
  assert.match(
    await words(),
    /Aktiv .*noch 31 Tage .*Läuft bis 15. Februar 2026 Verlängerung Verlängert sich nicht automatisch/,
  );
  const path = `/customers/${customerId}`;
  expectStatus(await account.send('PUT', `${path}/auto-renew`, { enabled: true, months: 12 }), 200);
  assert.match(await words(), /Verlängerung Automatisch, um ein Jahr/);
  expectStatus(await account.post(`${path}/cancel`, { at: 'period_end' }), 200);
  assert.match(await words(), /Endet 15. Februar 2026 .*Verlängerung Keine, der Tarif endet/);
  expectStatus(await account.post(`${path}/suspend`), 200);
  assert.match(await words(), /Ihr Zugang ist gesperrt/);
  expectStatus(await account.post(`${path}/resume`), 200);
  expectStatus(await account.post(`${path}/cancel`, { at: 'now' }), 200);
  const cancelled = await words();
  assert.match(cancelled, /Gekündigt .*Beendet 15. Januar 2026/);
  assert.doesNotMatch(cancelled, /noch|Verlängerung/);
});

test('the operator’s name, logo and address are on the page as text, no matter what they hold', async () => {
  const name = '<img src=x onerror=alert(1)>"\u202e';
  const settings = { name, colour: '#0f766e', letterhead: [], language: 'en' };
  const support = { support_address: 'help@contoso.example' };
  expectStatus(await service.admin.send('PUT', `${api}/brand`, { ...settings, ...support }), 200);
  const logo = { data: pngFile().toString('base64') };
  expectStatus(await service.admin.send('PUT', `${api}/brand/logo`, logo), 200);
  const page = await get('/customer');
  assert.ok(page.text.includes('&lt;img src=x onerror=alert(1)&gt;&quot;'));
  assert.deepEqual(page.text.match(/<img [^>]*>/g), [
    '<img src="/brand/logo?v=4" alt="" width="40" height="20">',
  ]);
  assert.match(wordsOf(page), /You are not logged in .*Contact support .*Support: help@contoso.example/);
  assert.match(page.headers.get('content-security-policy') ?? '', /img-src 'self'/);
  assert.doesNotMatch(page.text, /style=/);
});
