// Bank statements: what is credited, taken back and left to a person, once for each line, with money computed by hand.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { rfReference, spacedReference } from '../../src/features/payments/bank/rf-reference.ts';
import { bookWaitingBankLines } from '../../src/features/payments/book-bank-lines.ts';
import { falsify, verify } from '../harness/falsified-books.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { createPackage, credit, placeOrder } from '../harness/shop.ts';

const admin = '/api/admin/v1';
const iban = 'DE89370400440532013000';
const columns = {
  date: 'Date',
  amount: 'Amount',
  payer: 'Payer',
  text: 'Text',
  currency: 'Currency',
  id: 'Id',
};

let service: TestService;
before(async () => {
  service = await startTestService();
  const bank_transfer = { enabled: true, holder: 'Example Ltd', iban };
  const body = { methods: { bank_transfer }, minimum: '10.00', maximum: '10000.00' };
  expectStatus(await service.admin.send('PUT', `${admin}/payments`, body), 200);
});
after(() => service.close());

interface Line {
  readonly date?: string;
  readonly amount: string;
  readonly text?: string;
  readonly currency?: string;
  readonly id?: string;
}

function csvOf(lines: readonly Line[]): string {
  const rows = lines.map(
    ({ date = '2026-01-14', amount, text = '', currency = 'USD', id = '' }) =>
      `${date};${amount};"Ada, Example Ltd";"${text}";${currency};${id}`,
  );
  return `Date;Amount;Payer;Text;Currency;Id\n${rows.join('\n')}\n`;
}

const send = (content: string | Buffer, csv: object | null = { columns }) =>
  service.admin.post(`${admin}/bank-statements`, {
    file: Buffer.from(content).toString('base64'),
    ...(csv !== null && { csv }),
  });

const importLines = async (lines: readonly Line[]) => expectStatus(await send(csvOf(lines)), 200).lines;

const none = { new: 0, known: 0, credited: 0, returned: 0, unmatched: 0, waiting: 0, pending: 0 };

/** Lines of a camt.053 file: amount, text, and whether the bank marks it as a return. */
function camt(
  entries: readonly {
    readonly amount: string;
    readonly text: string;
    readonly id?: string;
    readonly endToEnd?: string;
    readonly isReturn?: boolean;
    readonly status?: string;
  }[],
  own = iban,
): string {
  const lines = entries.map(
    ({ amount, text, id = '', endToEnd = '', isReturn = false, status = 'BOOK' }, place) => {
      const isDebit = amount.startsWith('-');
      const code = isReturn ? 'RRTN' : 'ESCT';
      const family = isDebit && !isReturn ? 'ICDT' : 'RCDT';
      return `<Ntry><Amt Ccy="USD">${amount.replace('-', '')}</Amt><CdtDbtInd>${isDebit ? 'DBIT' : 'CRDT'}</CdtDbtInd>
      <Sts>${status}</Sts><BookgDt><Dt>2026-01-14</Dt></BookgDt><AcctSvcrRef>${id === '' ? `camt-${place}-${text}` : id}</AcctSvcrRef>
      <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${code}</SubFmlyCd></Fmly></Domn></BkTxCd>
      <NtryDtls><TxDtls><Refs><EndToEndId>${endToEnd === '' ? 'NOTPROVIDED' : endToEnd}</EndToEndId></Refs>
      <RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`;
    },
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
    <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>S</Id>
    <Acct><Id><IBAN>${own}</IBAN></Id><Ccy>USD</Ccy></Acct>${lines.join('')}</Stmt></BkToCstmrStmt></Document>`;
}

const importCamt = async (entries: Parameters<typeof camt>[0]) =>
  expectStatus(await send(camt(entries), null), 200).lines;

async function stands(account: TestAccount): Promise<string> {
  const { balance, receivable } = expectStatus(await account.get('/balance'), 200);
  return `${balance}, owes ${receivable}`;
}

/** As the job does. */
async function bookWaiting(): Promise<void> {
  const { database, clock } = service;
  const booking = { database, engine: service.service.engine, now: () => clock.seconds };
  assert.equal(await bookWaitingBankLines(booking, new AbortController().signal), false);
}

const inOrder = async () => assert.deepEqual(await verify(service), { ok: true, problems: [] });

const linesOf = async (status: string) =>
  expectStatus(await service.admin.get(`${admin}/bank-lines?status=${status}&limit=100`), 200).data;

const decide = (id: number, what: 'assign' | 'ignore', body: object = {}) =>
  service.admin.post(`${admin}/bank-lines/${id}/${what}`, body);

const topupsOf = async (account: TestAccount) =>
  expectStatus(await account.get('/topups'), 200).data.map(
    ({ status, amount, method }: Record<string, string>) => `${method} ${amount} ${status}`,
  );

async function unmatchedOf(text: string) {
  const found = (await linesOf('unmatched')).filter((line: { text: string }) => line.text === text);
  assert.equal(found.length, 1, text);
  return found[0];
}

test('a transfer with the account’s reference is credited in full, with or without a top-up, once', async () => {
  const account = await service.createReseller({});
  const reference = rfReference(account.id);
  expectStatus(await account.post('/topups', { amount: '100.00', method: 'bank_transfer' }), 201);
  const lines = [
    { amount: '100.00', text: `Top-up ${spacedReference(reference)}`, id: 'A1' },
    { amount: '33.33', text: reference.toLowerCase(), id: 'A2' },
  ];
  assert.deepEqual(await importLines(lines), { ...none, new: 2, credited: 2 });
  assert.equal(await stands(account), '133.33, owes 0.00');
  assert.deepEqual(await topupsOf(account), ['bank_transfer 33.33 paid', 'bank_transfer 100.00 paid']);
  for (let again = 0; again < 3; again += 1)
    assert.deepEqual(await importLines(lines), { ...none, known: 2 });
  // A file that overlaps has the second line and one more.
  const overlapping = [lines[1] ?? lines[0], { amount: '1.00', text: reference, id: 'A3' }];
  assert.deepEqual(await importLines(overlapping as Line[]), { ...none, new: 1, known: 1, credited: 1 });
  assert.equal(await stands(account), '134.33, owes 0.00');
  await inOrder();
});

test('two equal lines of a day are two, in any number of files', async () => {
  const account = await service.createReseller({});
  const line = { amount: '20.00', text: rfReference(account.id) };
  assert.deepEqual(await importLines([line, line]), { ...none, new: 2, credited: 2 });
  assert.deepEqual(await importLines([line, line]), { ...none, known: 2 });
  assert.equal(await stands(account), '40.00, owes 0.00');
  await inOrder();
});

test('a booking of several transfers is booked once, whether a file splits it or not', async () => {
  const [one, other] = [await service.createReseller({}), await service.createReseller({})];
  const entry = (id: string, details: string) => `<?xml version="1.0" encoding="UTF-8"?>
    <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>B</Id>
    <Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>USD</Ccy></Acct><Ntry><Amt Ccy="USD">30.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
    <Sts>BOOK</Sts><BookgDt><Dt>2026-01-14</Dt></BookgDt><AcctSvcrRef>${id}</AcctSvcrRef>
    <NtryDtls>${details}</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;
  const part = ({ id }: TestAccount, amount: string) =>
    `<TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="USD">${amount}</Amt></TxAmt></AmtDtls>
      <RmtInf><Ustrd>${rfReference(id)}</Ustrd></RmtInf></TxDtls>`;
  const split = (id: string) => entry(id, part(one, '10.00') + part(other, '20.00'));
  const whole = (id: string) => entry(id, '<Btch><NbOfTxs>2</NbOfTxs></Btch>');
  const sent = async (content: string) => expectStatus(await send(content, null), 200).lines;
  assert.deepEqual(await sent(split('SPLIT-FIRST')), { ...none, new: 2, credited: 2 });
  assert.deepEqual(await sent(whole('SPLIT-FIRST')), { ...none, known: 1 });
  assert.deepEqual(await sent(whole('WHOLE-FIRST')), { ...none, new: 1, unmatched: 1 });
  assert.deepEqual(await sent(split('WHOLE-FIRST')), { ...none, known: 2 });
  assert.deepEqual([await stands(one), await stands(other)], ['10.00, owes 0.00', '20.00, owes 0.00']);
  await inOrder();
});

test('one file that two operators import at once, many times, is booked once', async () => {
  const accounts = await Promise.all(Array.from({ length: 5 }, () => service.createReseller({})));
  const lines = Array.from({ length: 60 }, (_each, place) => ({
    amount: `${place + 1}.00`,
    text: rfReference(accounts[place % 5]?.id ?? 0),
    id: `at-once-${place}`,
  }));
  const answers = await Promise.all(Array.from({ length: 4 }, () => importLines(lines)));
  const sum = (name: 'new' | 'credited' | 'known') => answers.reduce((total, one) => total + one[name], 0);
  assert.deepEqual([sum('new'), sum('known'), sum('credited')], [60, 180, 60]);
  // 1 + 6 + … + 56, 2 + 7 + … + 57, and so on.
  const wanted = [342, 354, 366, 378, 390].map((dollars) => `${dollars}.00, owes 0.00`);
  assert.deepEqual(await Promise.all(accounts.map(stands)), wanted);
  await inOrder();
});

test('lines without an account wait for a person, who assigns each once or ignores it', async () => {
  const [account, other] = [await service.createReseller({}), await service.createReseller({})];
  const both = `${rfReference(account.id)} or ${rfReference(other.id)}`;
  const counts = await importLines([
    { amount: '10.00', text: 'No reference', id: 'U1' },
    { amount: '11.00', text: both, id: 'U2' },
    { amount: '12.00', text: rfReference(4_999_999), id: 'U3' },
    { amount: '13.00', text: rfReference(account.id), currency: 'EUR', id: 'U4' },
    { amount: '-14.00', text: 'Fees', id: 'U5' },
    { amount: '-15.00', text: `Refund ${rfReference(account.id)}`, id: 'U6' },
  ]);
  assert.deepEqual(counts, { ...none, new: 6, unmatched: 6 });
  const reasons = await Promise.all(
    [
      'No reference',
      both,
      rfReference(4_999_999),
      rfReference(account.id),
      'Fees',
      `Refund ${rfReference(account.id)}`,
    ].map(async (text) => (await unmatchedOf(text)).reason),
  );
  assert.deepEqual(reasons, [
    'no_account',
    'several_accounts',
    'no_account',
    'other_currency',
    'not_positive',
    'not_marked_as_return',
  ]);
  assert.deepEqual((await unmatchedOf(both)).suggested_account_ids, [account.id, other.id]);

  assert.deepEqual((await unmatchedOf(rfReference(4_999_999))).suggested_account_ids, []);
  const mistyped = rfReference(other.id).replace(/^RF../, 'RF00');
  await importLines([{ amount: '3.00', text: mistyped, id: 'U7' }]);
  const nearly = await unmatchedOf(mistyped);
  assert.deepEqual(nearly.suggested_account_ids, [other.id]);
  expectStatus(await decide(nearly.id, 'ignore', { note: 'Sent again' }), 200);

  const { id } = await unmatchedOf('No reference');
  const first = await decide(id, 'assign', { account_id: account.id });
  const { line } = expectStatus(first, 200);
  assert.deepEqual([line.status, line.reason, line.account.id], ['credited', null, account.id]);
  assert.deepEqual((await decide(id, 'assign', { account_id: account.id })).body, first.body);
  expectRefusal(await decide(id, 'assign', { account_id: other.id }), '409 bank_line_settled');
  expectRefusal(await decide(id, 'ignore'), '409 bank_line_settled');
  assert.equal(await stands(account), '10.00, owes 0.00');

  const { id: ignored } = await unmatchedOf(both);
  assert.equal(expectStatus(await decide(ignored, 'ignore'), 200).line.status, 'ignored');
  assert.equal(expectStatus(await decide(ignored, 'ignore'), 200).line.status, 'ignored');
  // A mistake can be corrected.
  const at = await Promise.all(
    Array.from({ length: 5 }, () => decide(ignored, 'assign', { account_id: other.id })),
  );
  for (const one of at) assert.equal(expectStatus(one, 200).line.status, 'credited');
  assert.equal(await stands(other), '11.00, owes 0.00');

  const { id: euros } = await unmatchedOf(rfReference(account.id));
  expectRefusal(await decide(euros, 'assign', { account_id: account.id }), '422 validation_failed');
  const { id: fees } = await unmatchedOf('Fees');
  expectRefusal(await decide(fees, 'assign', { account_id: account.id }), '404 topup_not_found');
  for (const missing of [999_999, 5_000_001])
    expectRefusal(await decide(fees, 'assign', { account_id: missing }), '404 account_not_found');
  expectRefusal(await decide(2_000_000, 'ignore'), '404 bank_line_not_found');
  expectRefusal(await decide(2_000_000, 'assign', { account_id: account.id }), '404 bank_line_not_found');
  expectStatus(await decide(fees, 'ignore'), 200);
  const { data } = expectStatus(await service.admin.get(`${admin}/audit?limit=100`), 200);
  const loggedOf = (line: number) =>
    data.filter(({ subject }: { subject: string }) => subject === `bank line ${line}`);
  assert.equal(loggedOf(nearly.id)[0].after.note, 'Sent again');
  const logged = loggedOf(ignored);
  assert.deepEqual(
    logged.map(({ action, before: { status } }: { action: string; before: { status: string } }) => [
      action,
      status,
    ]),
    [
      ['bank_line.assign', 'ignored'],
      ['bank_line.ignore', 'unmatched'],
    ],
  );
  await inOrder();
});

test('a returned transfer takes its payment back, once, and what was spent is owed', async () => {
  const account = await service.createReseller({});
  const text = rfReference(account.id);
  const paid = { amount: '100.00', text, endToEnd: 'E2E-1', id: 'R1' };
  assert.deepEqual(await importCamt([paid]), { ...none, new: 1, credited: 1 });
  const price = '60.00';
  const packageId = await createPackage(service, `For ${account.id}`, [price, price, price]);
  await placeOrder(service, account, { package_id: packageId, customer: `spends-${account.id}` });
  const back = { amount: '-100.00', text: `Return ${text}`, endToEnd: 'E2E-1', id: 'R2', isReturn: true };
  assert.deepEqual(await importCamt([paid, back]), { ...none, new: 1, known: 1, returned: 1 });
  assert.equal(await stands(account), '0.00, owes 60.00');
  assert.deepEqual(await importCamt([paid, back]), { ...none, known: 2 });
  assert.deepEqual(await topupsOf(account), ['bank_transfer 100.00 refunded']);
  // Nothing is left that a second return could take back.
  const second = { ...back, id: 'R3' };
  assert.deepEqual(await importCamt([second]), { ...none, new: 1, unmatched: 1 });
  const { id, reason } = await unmatchedOf(`Return ${text}`);
  assert.equal(reason, 'no_payment');
  expectRefusal(await decide(id, 'assign', { account_id: account.id }), '404 topup_not_found');
  await credit(service, account, '60.00');
  assert.equal(await stands(account), '0.00, owes 0.00');
  await inOrder();
});

test('a payment and its return in one file, and a return that only a person recognizes', async () => {
  const account = await service.createReseller({});
  const text = rfReference(account.id);
  assert.deepEqual(
    await importCamt([
      { amount: '-40.00', text: 'Returned', endToEnd: 'E2E-2', id: 'P2', isReturn: true },
      { amount: '40.00', text, endToEnd: 'E2E-2', id: 'P1' },
      { amount: '50.00', text, id: 'P3' },
      { amount: '-50.00', text: `Sent back ${text}`, id: 'P4' },
      { amount: '9.00', text, id: 'P5', status: 'PDNG' },
    ]),
    { ...none, new: 4, credited: 2, returned: 1, unmatched: 1, pending: 1 },
  );
  assert.equal(await stands(account), '50.00, owes 0.00');
  const { id } = await unmatchedOf(`Sent back ${text}`);
  const { line } = expectStatus(await decide(id, 'assign', { account_id: account.id }), 200);
  assert.equal(line.status, 'returned');
  assert.deepEqual(expectStatus(await decide(id, 'assign', { account_id: account.id }), 200).line, line);
  assert.equal(await stands(account), '0.00, owes 0.00');
  await inOrder();
});

test('a return waits for its payment, which waits for a blocked account', async () => {
  const account = await service.createReseller({});
  const block = (is: boolean) => service.admin.patch(`${admin}/accounts/${account.id}`, { blocked: is });
  expectStatus(await block(true), 200);
  const text = rfReference(account.id);
  const lines = [
    { amount: '30.00', text, endToEnd: 'E2E-W', id: 'B1' },
    { amount: '-30.00', text: 'Returned', endToEnd: 'E2E-W', id: 'B2', isReturn: true },
    { amount: '50.00', text, id: 'B3' },
    { amount: '-50.00', text: `Sent back ${text}`, id: 'B4' },
  ];
  assert.deepEqual(await importCamt(lines), { ...none, new: 4, waiting: 3, unmatched: 1 });
  const { id } = await unmatchedOf(`Sent back ${text}`);
  const { line } = expectStatus(await decide(id, 'assign', { account_id: account.id }), 200);
  assert.deepEqual([line.status, line.reason], ['waiting', 'account_blocked']);
  await bookWaiting();
  assert.equal((await linesOf('waiting')).length, 4);
  expectStatus(await block(false), 200);
  await bookWaiting();
  await bookWaiting();
  assert.deepEqual(await linesOf('waiting'), []);
  assert.equal(await stands(account), '0.00, owes 0.00');
  assert.deepEqual(await topupsOf(account), ['bank_transfer 50.00 refunded', 'bank_transfer 30.00 refunded']);
  await inOrder();
});

test('money for a blocked or halted account waits, and is booked once it is open again', async () => {
  const [blocked, halted] = [
    await service.createReseller({ credit: '5.00' }),
    await service.createReseller({ credit: '5.00' }),
  ];
  const block = (is: boolean) => service.admin.patch(`${admin}/accounts/${blocked.id}`, { blocked: is });
  expectStatus(await block(true), 200);
  const change = (sign: string) =>
    falsify(
      service,
      halted,
      `update accounts set balance_cents = balance_cents ${sign} 1 where id = ${halted.id}`,
    );
  await change('+');
  await verify(service);
  const lines = [blocked, halted].map(({ id }) => ({ amount: '30.00', text: rfReference(id), id: `W${id}` }));
  assert.deepEqual(await importLines(lines), { ...none, new: 2, waiting: 2 });
  const reasons = (await linesOf('waiting')).map(({ reason }: { reason: string }) => reason);
  assert.deepEqual(reasons.sort(), ['account_blocked', 'account_halted']);
  const [waiting] = await linesOf('waiting');
  expectRefusal(await decide(waiting.id, 'ignore'), '409 bank_line_settled');
  expectStatus(await block(false), 200);
  await change('-');
  await inOrder();
  await bookWaiting();
  await bookWaiting();
  assert.deepEqual(await Promise.all([blocked, halted].map(stands)), [
    '35.00, owes 0.00',
    '35.00, owes 0.00',
  ]);
  assert.deepEqual(await linesOf('waiting'), []);
  await inOrder();
});

test('after a crash at any step the lines are booked, once', async () => {
  const account = await service.createReseller({});
  const text = rfReference(account.id);
  const lines = [
    { amount: '70.00', text, endToEnd: 'E2E-C', id: 'C1' },
    { amount: '-70.00', text, endToEnd: 'E2E-C', id: 'C2', isReturn: true },
    { amount: '8.00', text, id: 'C3' },
  ];
  assert.deepEqual(await importCamt(lines), { ...none, new: 3, credited: 2, returned: 1 });
  const forgotten = [
    // Booked, but not marked.
    `status = 'waiting', settled_at = null`,
    // As if the process had died before the line had its top-up. The engine knows the payment by its key.
    `status = 'waiting', settled_at = null, return_of = null`,
  ];
  const ours = `account_id = ${account.id}`;
  for (const changes of forgotten) {
    const returned = changes.includes('return_of') ? `${ours} and amount_cents < 0` : ours;
    await service.database.query({ name: '', text: `update bank_lines set ${changes} where ${returned}` });
    // The same file again finishes what it began, and so does the job.
    assert.equal((await importCamt(lines)).new, 0);
    await bookWaiting();
    assert.deepEqual(await linesOf('waiting'), []);
    assert.equal(await stands(account), '8.00, owes 0.00');
  }
  await inOrder();
});

test('verification compares lines with the payments and reversals that they made', async () => {
  const account = await service.createReseller({});
  const text = rfReference(account.id);
  assert.deepEqual(
    await importCamt([
      { amount: '21.00', text, endToEnd: 'E2E-V', id: 'V1' },
      { amount: '-21.00', text, endToEnd: 'E2E-V', id: 'V2', isReturn: true },
      { amount: '22.00', text, id: 'V3' },
    ]),
    { ...none, new: 3, credited: 2, returned: 1 },
  );
  await inOrder();
  const ours = `account_id = ${account.id}`;
  const query = (sql: string) => service.database.query({ name: '', text: sql });
  await query(`create table kept_bank_lines as select * from bank_lines where ${ours}`);
  const falsehoods: readonly (readonly [sql: string, says: RegExp])[] = [
    [
      `update bank_lines set topup_number = 9 where ${ours} and amount_cents = 2200`,
      /no payment or reversal/,
    ],
    [
      `update bank_lines set amount_cents = 2300 where ${ours} and amount_cents = 2200`,
      /no payment or reversal/,
    ],
    [
      `update bank_lines set topup_number = 9 where ${ours} and amount_cents = -2100`,
      /no payment or reversal/,
    ],
    [`delete from bank_lines where ${ours} and amount_cents = 2200`, /a bank line that does not exist/],
  ];
  for (const [sql, says] of falsehoods) {
    await query(sql);
    const { problems } = await verify(service);
    assert.ok(
      problems.some((one) => one.account_id === account.id && says.test(one.problem)),
      `${sql}: ${JSON.stringify(problems)}`,
    );
    await query(`delete from bank_lines where ${ours}`);
    await query('insert into bank_lines select * from kept_bank_lines');
    await inOrder();
  }
  await query('drop table kept_bank_lines');
  // The ledger was right all the time, so the account was never halted.
  await credit(service, account, '1.00');
});

test('a file of many lines for many accounts is booked whole', async () => {
  const accounts = await Promise.all(Array.from({ length: 10 }, () => service.createReseller({})));
  const lines = Array.from({ length: 300 }, (_each, place) => ({
    amount: '1.00',
    text: rfReference(accounts[place % 10]?.id ?? 0),
    id: `many-${place}`,
  }));
  assert.deepEqual(await importLines(lines), { ...none, new: 300, credited: 300 });
  assert.deepEqual(await importLines(lines), { ...none, known: 300 });
  for (const account of accounts) assert.equal(await stands(account), '30.00, owes 0.00');
  await inOrder();
});

test('a file of another account, and one that cannot be read, are refused as a whole', async () => {
  const account = await service.createReseller({});
  const entries = [{ amount: '5.00', text: rfReference(account.id) }];
  const refusedAs = async (content: string | Buffer, problem: string, csv: object | null = null) => {
    const answer = await send(content, csv);
    expectRefusal(answer, '422 bank_file_refused');
    assert.equal(answer.body.error.details.problem, problem);
    assert.ok(answer.body.error.details.reason.length > 10);
  };
  await refusedAs(camt(entries, 'GB29NWBK60161331926819'), 'other_account');
  await refusedAs('no bank file', 'unknown_format');
  await refusedAs(camt(entries).slice(0, -40), 'truncated');
  await refusedAs(
    '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><Document>&y;</Document>',
    'unsafe_xml',
  );
  await refusedAs(csvOf([{ amount: 'much' }]), 'bad_amount', { columns });
  await refusedAs(csvOf([{ amount: '1.00' }]), 'missing_column', {
    columns: { date: 'Datum', amount: 'Betrag' },
  });
  for (const body of [{}, { file: '' }, { file: 7 }, { file: '!!!!' }, { file: 'QUJD', csv: {} }])
    expectRefusal(await service.admin.post(`${admin}/bank-statements`, body), '422 validation_failed');
  expectRefusal(await account.post(`${admin}/bank-statements`, { file: 'QUJD' }), '403 forbidden');
  assert.equal(await stands(account), '0.00, owes 0.00');
});

test('texts of any length and with any characters are stored', async () => {
  const account = await service.createReseller({});
  const text = `=1+1 ${'x'.repeat(5_000)} \u{1F4B6} ${rfReference(account.id)}`;
  assert.deepEqual(await importLines([{ amount: '2.00', text, id: 'L'.repeat(900) }]), {
    ...none,
    new: 1,
    credited: 1,
  });
  assert.equal(await stands(account), '2.00, owes 0.00');
  await inOrder();
});
