// Receipts and statements as PDF: numbered, with the letterhead, in the reader's language, and only for their account.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { pngFile } from '../harness/logo-files.ts';
import { ownPages, signIn } from '../harness/panel-client.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';

let service: TestService;
let account: TestAccount;
before(async () => {
  service = await startTestService({ environment: { STATEMENT_ISSUER: 'From the configuration | Dublin' } });
  account = await service.createReseller();
});
after(() => service.close());

const api = '/api/admin/v1';
const brandOf = (change: object) =>
  service.admin.send('PUT', `${api}/brand`, {
    name: null,
    colour: null,
    letterhead: [],
    support_address: null,
    language: 'en',
    ...change,
  });
const credit = async (amount: string, memo?: string) =>
  expectStatus(await service.admin.post(`${api}/accounts/${account.id}/credit`, { amount, memo }), 201).entry;

async function document(path: string, cookie: string, headers: Record<string, string> = {}) {
  const answer = await fetch(service.address + path, { headers: { ...ownPages, cookie, ...headers } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { answer, bytes, words: answer.status === 200 ? wordsOf(bytes) : bytes.toString() };
}

/** Reads a page's text in Western fonts, which is hexadecimal in brackets. */
function wordsOf(pdf: Buffer): string {
  let words = '';
  for (let at = pdf.indexOf('stream\n'); at >= 0; at = pdf.indexOf('stream\n', at)) {
    const end = pdf.indexOf('endstream', at);
    const packed = pdf.subarray(at + 'stream\n'.length, end);
    at = end + 'endstream'.length;
    let text = '';
    try {
      text = inflateSync(packed).toString('latin1');
    } catch {
      continue;
    }
    for (const [, array = ''] of text.matchAll(/\[([^\]]*)\] TJ/g)) {
      const hex = [...array.matchAll(/<([0-9a-f]+)>/g)].map(([, part = '']) => part).join('');
      words += `${Buffer.from(hex, 'hex').toString('latin1')}\n`;
    }
  }
  return words;
}

test('a credit has a receipt with its number, date, account, amount and memo, for its account and the operator', async () => {
  const entry = await credit('1250.00', 'Bank transfer 4711');
  const reseller = await signIn(service, account);
  const operator = await signIn(service, service.admin);
  const number = `${account.id}-1`;
  const own = await document(`/panel/api/ledger/${entry.id}/receipt.pdf`, reseller.cookie);
  assert.equal(own.answer.headers.get('content-type'), 'application/pdf');
  assert.equal(own.answer.headers.get('content-disposition'), `attachment; filename="receipt-${number}.pdf"`);
  for (const shown of [
    'From the configuration',
    'Dublin',
    `Receipt ${number}`,
    'January 15, 2026, 12:00 UTC',
    'Bank transfer 4711',
    '1,250.00 USD',
  ]) {
    assert.ok(own.words.includes(shown), `${shown} in ${own.words}`);
  }
  const same = await document(`/panel/api/admin/ledger/${entry.id}/receipt.pdf`, operator.cookie);
  assert.deepEqual(same.bytes, own.bytes, 'anyone who asks, and whenever');
  const outsider = await signIn(service, await service.createReseller());
  const foreign = await document(`/panel/api/ledger/${entry.id}/receipt.pdf`, outsider.cookie);
  assert.equal(foreign.answer.status, 404);
  assert.match(foreign.words, /receipt_not_found/);
});

test('a debit has a note, and an order has neither', async () => {
  const debit = await credit('-50.00', 'Bank fees');
  const order = { package_id: service.packages.basic, customer: 'receipt' };
  expectStatus(await account.post('/orders', order), 201);
  const [charge] = (await account.get('/ledger')).body.data;
  const { cookie, get } = await signIn(service, account);
  const note = await document(`/panel/api/ledger/${debit.id}/receipt.pdf`, cookie);
  assert.match(note.words, /Debit note \d+-2\n[\s\S]*\n50\.00 USD/);
  expectRefusal(await get(`/ledger/${charge.id}/receipt.pdf`), '404 receipt_not_found');
  expectRefusal(await get('/ledger/none/receipt.pdf'), '404 receipt_not_found');
});

test('documents are in the language that is asked for, else the person’s, else the browser’s', async () => {
  const entry = await credit('10.00');
  const panel = await signIn(service, account);
  const path = `/panel/api/ledger/${entry.id}/receipt.pdf`;
  const inGerman = { 'accept-language': 'de' };
  assert.match((await document(path, panel.cookie, inGerman)).words, /^Beleg/m);
  expectStatus(await panel.put('/language', { language: 'en' }), 200);
  assert.match((await document(path, panel.cookie, inGerman)).words, /^Receipt/m);
  const asked = await document(`${path}?language=de`, panel.cookie);
  assert.match(asked.words, /15\. Januar 2026, 12:00 UTC\n/);
  assert.match(asked.words, /10,00 USD/);
  expectRefusal(await panel.get(`/ledger/${entry.id}/receipt.pdf?language=fr`), '422 invalid_filter');
  expectStatus(await panel.put('/language', { language: 'de' }), 200);
  const statement = await document('/panel/api/v1/statements/2026-01?format=pdf', panel.cookie);
  assert.match(statement.words, /Kontoauszug, Januar 2026\n[\s\S]*Gutschrift\n/);
});

test('the letterhead is the operator’s, with logo and color, no matter what it holds', async () => {
  const entry = await credit('1.00', 'Ω ) Tj ET (');
  const { cookie } = await signIn(service, account);
  const path = `/panel/api/ledger/${entry.id}/receipt.pdf`;
  const plain = await document(path, cookie);
  const hostile = '(Contoso) Tj ET \\ <script>';
  expectStatus(await brandOf({ name: 'Contoso', colour: '#ffb300', letterhead: [hostile, 'Line 2'] }), 200);
  const picture = { data: pngFile().toString('base64') };
  expectStatus(await service.admin.send('PUT', `${api}/brand/logo`, picture), 200);
  const branded = await document(path, cookie);
  assert.ok(branded.words.includes(hostile));
  assert.ok(branded.words.includes('Line 2'));
  assert.ok(!branded.words.includes('From the configuration'));
  assert.match(branded.bytes.toString('latin1'), /\/Subtype \/Image/);
  assert.doesNotMatch(plain.bytes.toString('latin1'), /\/Subtype \/Image/);
});
