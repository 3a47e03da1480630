// Payments, reversals and receivables on real databases, with money computed by hand.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import type {
  OrderOutcome,
  PaymentCommand,
  ReversePayment,
} from '../../src/features/order-engine/decisions/order-commands.ts';
import { booksOf } from '../harness/books.ts';
import { falsify, verify } from '../harness/falsified-books.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { holdAccount, queueReaches } from '../harness/held-account.ts';
import { expectStatus } from '../harness/refusals.ts';
import { createPackage, credit, placeOrder } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

async function topup({ id }: TestAccount, number: number, cents: number): Promise<void> {
  await sqlOf(
    service,
    { id },
    `insert into topups (account_id, number, method, amount_cents, status, created_at)
      values (${id}, ${number}, 'card', ${cents}, 'open', now())`,
  );
}

const submit = (command: PaymentCommand): Promise<OrderOutcome> => service.service.engine.submit(command);

const pay = (
  { id }: TestAccount,
  topupNumber: number,
  cents: bigint,
  paymentRef = `stripe:pi_${topupNumber}`,
) =>
  submit({
    type: 'receive_payment',
    accountId: id,
    topupNumber,
    paymentRef,
    amountCents: cents,
    memo: 'Card payment',
  });

const takeBack = (
  { id }: TestAccount,
  topupNumber: number,
  cause: string,
  cents: bigint,
  more: Partial<ReversePayment> = {},
) =>
  submit({
    type: 'reverse_payment',
    accountId: id,
    topupNumber,
    cause,
    kind: cause.includes('dp_') ? 'dispute' : 'refund',
    amountCents: cents,
    allowReceivable: true,
    by: null,
    ...more,
  });

const giveBack = ({ id }: TestAccount, cause: string) =>
  submit({ type: 'reinstate_payment', accountId: id, cause });

const writeOff = ({ id }: TestAccount, amountCents: bigint | null, idempotencyKey: string = randomUUID()) =>
  submit({
    type: 'write_off_receivable',
    accountId: id,
    idempotencyKey,
    keyIsMinted: false,
    amountCents,
    memo: 'Gone',
    by: { actorId: service.admin.id },
  });

function moved(outcome: OrderOutcome, replayed = false): bigint {
  assert.ok(
    outcome.type === 'payment_moved' || outcome.type === 'written_off',
    JSON.stringify(outcome, (_key, value) => String(value)),
  );
  assert.equal(outcome.replayed, replayed);
  return outcome.receivableCents;
}

function refusedAs(outcome: OrderOutcome, code: string): void {
  assert.ok(outcome.type === 'refused', outcome.type);
  assert.equal(outcome.refusal.code, code);
}

/** "50.00, owes 950.00". */
async function stands(account: TestAccount): Promise<string> {
  const { balance, receivable } = expectStatus(await account.get('/balance'), 200);
  return `${balance}, owes ${receivable}`;
}

/** Oldest first: "credit 100.00". */
const entriesOf = async (account: TestAccount) =>
  (await booksOf(service, account)).entries
    .map((entry) => entry.split(' ').slice(0, 2).join(' '))
    .toReversed();

async function inOrder(): Promise<void> {
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
}

async function spend(account: TestAccount, price: string): Promise<void> {
  const id = await createPackage(service, `For ${price}`, [price, price, price]);
  await placeOrder(service, account, { package_id: id, customer: `spends-${account.id}` });
}

test('a payment is credited once, however often and from wherever it is reported', async () => {
  const account = await service.createReseller({});
  await topup(account, 1, 100_000);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => pay(account, 1, 100_000n)));
  assert.equal(outcomes.filter((one) => one.type === 'payment_moved' && !one.replayed).length, 1);
  assert.deepEqual(await entriesOf(account), ['credit 1000.00']);
  refusedAs(await pay(account, 1, 100_001n), 'idempotency_conflict');
  refusedAs(await pay(account, 1, 100_000n, 'stripe:pi_other'), 'idempotency_conflict');
  await topup(account, 2, 100_000);
  refusedAs(await pay(account, 2, 100_000n, 'stripe:pi_1'), 'idempotency_conflict');
  refusedAs(await pay(account, 2, 99_999n, 'stripe:pi_2'), 'validation_failed');
  refusedAs(await pay(account, 3, 100_000n), 'topup_not_found');
  assert.equal(await stands(account), '1000.00, owes 0.00');
});

test('a dispute takes what is there, the rest is owed, and winning it gives back exactly what was taken', async () => {
  const account = await service.createReseller({});
  await topup(account, 1, 100_000);
  moved(await pay(account, 1, 100_000n));
  await spend(account, '950.00');
  assert.equal(moved(await takeBack(account, 1, 'stripe:dp_1', 100_000n)), 95_000n);
  assert.equal(await stands(account), '0.00, owes 950.00');
  assert.equal(moved(await takeBack(account, 1, 'stripe:dp_1', 100_000n), true), 95_000n);
  await inOrder();

  // The next credit pays the receivable first.
  await credit(service, account, '300.00');
  assert.equal(await stands(account), '0.00, owes 650.00');
  await topup(account, 2, 70_000);
  assert.equal(moved(await pay(account, 2, 70_000n)), 0n);
  assert.equal(await stands(account), '50.00, owes 0.00');
  await inOrder();

  assert.equal(moved(await giveBack(account, 'stripe:dp_1')), 0n);
  moved(await giveBack(account, 'stripe:dp_1'), true);
  assert.equal(await stands(account), '1050.00, owes 0.00');
  assert.deepEqual(await entriesOf(account), [
    'credit 1000.00',
    'charge -950.00',
    'reversal -50.00',
    'credit 300.00',
    'settlement -300.00',
    'credit 700.00',
    'settlement -650.00',
    'reinstatement 1000.00',
  ]);
});

test('refunds of a top-up never exceed it, and what was won back can be refunded', async () => {
  const account = await service.createReseller({});
  await topup(account, 1, 50_000);
  refusedAs(await takeBack(account, 1, 'stripe:re_0', 1n), 'topup_not_found');
  moved(await pay(account, 1, 50_000n));
  moved(await takeBack(account, 1, 'stripe:re_1', 30_000n));
  refusedAs(await takeBack(account, 1, 'stripe:re_2', 20_001n), 'refund_too_large');
  moved(await takeBack(account, 1, 'stripe:re_2', 20_000n));
  refusedAs(await takeBack(account, 1, 'stripe:re_2', 10_000n), 'idempotency_conflict');
  assert.equal(await stands(account), '0.00, owes 0.00');
  moved(await giveBack(account, 'stripe:re_1'));
  refusedAs(await takeBack(account, 1, 'stripe:re_3', 30_001n), 'refund_too_large');
  refusedAs(await takeBack(account, 1, 'stripe:dp_3', 50_001n), 'refund_too_large');
  // The provider takes the whole payment, although a part of it was refunded before.
  moved(await takeBack(account, 1, 'stripe:dp_3', 50_000n));
  refusedAs(await takeBack(account, 1, 'stripe:re_3', 30_001n), 'refund_too_large');
  // The dispute does not count: its end and a later refund may be reported in either order.
  moved(await takeBack(account, 1, 'stripe:re_3', 30_000n));
  refusedAs(await giveBack(account, 'stripe:dp_4'), 'topup_not_found');
  assert.equal(await stands(account), '0.00, owes 500.00');
});

test('a refund by the operator takes no more than the balance, unless that is allowed', async () => {
  const account = await service.createReseller({});
  await topup(account, 1, 10_000);
  moved(await pay(account, 1, 10_000n));
  await spend(account, '60.00');
  const by = { actorId: service.admin.id };
  refusedAs(
    await takeBack(account, 1, 'refund:1', 5_000n, { allowReceivable: false, by }),
    'insufficient_credit',
  );
  moved(await takeBack(account, 1, 'refund:2', 4_000n, { allowReceivable: false, by }));
  assert.equal(moved(await takeBack(account, 1, 'refund:3', 6_000n, { by })), 6_000n);
  assert.equal(await stands(account), '0.00, owes 60.00');
});

test('of two receivables the older is settled first, and what is written off stays forgiven', async () => {
  const account = await service.createReseller({});
  for (const number of [1, 2]) {
    await topup(account, number, 10_000);
    moved(await pay(account, number, 10_000n));
  }
  await spend(account, '200.00');
  moved(await takeBack(account, 1, 'stripe:dp_1', 10_000n));
  assert.equal(moved(await takeBack(account, 2, 'stripe:dp_2', 10_000n)), 20_000n);
  await credit(service, account, '120.00');
  assert.equal(await stands(account), '0.00, owes 80.00');
  refusedAs(await writeOff(account, 8_001n), 'validation_failed');
  assert.equal(moved(await writeOff(account, 3_000n)), 5_000n);
  assert.equal(moved(await writeOff(account, null)), 0n);
  refusedAs(await writeOff(account, null), 'validation_failed');
  await inOrder();
  // Of the second, 20.00 were settled and 80.00 written off.
  moved(await giveBack(account, 'stripe:dp_2'));
  assert.equal(await stands(account), '20.00, owes 0.00');
  moved(await giveBack(account, 'stripe:dp_1'));
  assert.equal(await stands(account), '120.00, owes 0.00');
  assert.deepEqual((await entriesOf(account)).slice(3), [
    'credit 120.00',
    'settlement -100.00',
    'settlement -20.00',
    'reinstatement 20.00',
    'reinstatement 100.00',
  ]);
});

test('a credit says what it settled, also when it is sent again', async () => {
  const account = await service.createReseller({});
  const path = `/api/admin/v1/accounts/${account.id}/credit`;
  const give = async (amount: string, key: string) => {
    const { body, status, text } = await service.admin.post(
      path,
      { amount, memo: 'By hand' },
      { 'idempotency-key': key },
    );
    assert.equal(status, 201, text);
    const { entry, ...rest } = body;
    return { ...rest, after: entry.balance_after };
  };
  for (const number of [1, 2]) {
    await topup(account, number, 10_000);
    moved(await pay(account, number, 10_000n));
  }
  await spend(account, '200.00');
  for (const number of [1, 2]) moved(await takeBack(account, number, `stripe:dp_${number}`, 10_000n));
  const first = { balance: '0.00', settled: '150.00', receivable: '50.00', after: '150.00' };
  assert.deepEqual(await give('150.00', 'first'), first);
  const second = { balance: '10.00', settled: '50.00', receivable: '0.00', after: '60.00' };
  assert.deepEqual(await give('60.00', 'second'), second);
  assert.deepEqual(await give('-1.00', 'debit'), { balance: '9.00', after: '9.00' });
  assert.deepEqual(await give('3.00', 'third'), { balance: '12.00', after: '12.00' });
  assert.deepEqual(await give('150.00', 'first'), { ...first, receivable: '0.00' });
  assert.deepEqual(await give('60.00', 'second'), second);
  assert.deepEqual(await give('3.00', 'third'), { balance: '12.00', after: '12.00' });
  const audit = expectStatus(await service.admin.get('/api/admin/v1/audit'), 200);
  const ofAccount = audit.data.filter(
    ({ action, subject }: { action: string; subject: string }) =>
      action === 'account.credit' && subject === `account ${account.id}`,
  );
  assert.deepEqual(
    ofAccount.map(({ after }: { after: Record<string, string> }) => {
      const { balance, settled, receivable } = after;
      return { balance, settled, receivable };
    }),
    [
      { balance: '12.00', settled: undefined, receivable: undefined },
      { balance: '60.00', settled: '50.00', receivable: '0.00' },
      { balance: '150.00', settled: '150.00', receivable: '50.00' },
    ],
  );
});

test('a write-off forgives once, however often it is sent', async () => {
  const account = await service.createReseller({});
  for (const number of [1, 2]) {
    await topup(account, number, 10_000);
    moved(await pay(account, number, 10_000n));
  }
  await spend(account, '200.00');
  for (const number of [1, 2]) moved(await takeBack(account, number, `stripe:dp_${number}`, 10_000n));
  const sent = await Promise.all(Array.from({ length: 20 }, () => writeOff(account, 13_000n, 'once')));
  assert.equal(sent.filter((one) => one.type === 'written_off' && !one.replayed).length, 1);
  for (const one of sent) assert.ok(one.type === 'written_off' && one.writtenOffCents === 13_000n);
  assert.equal(await stands(account), '0.00, owes 70.00');
  await credit(service, account, '50.00');
  // Answered as the first time, although less is owed by now.
  assert.equal(moved(await writeOff(account, 13_000n, 'once'), true), 7_000n);
  refusedAs(await writeOff(account, 13_001n, 'once'), 'idempotency_conflict');
  refusedAs(await writeOff(account, null, 'once'), 'idempotency_conflict');
  assert.equal(moved(await writeOff(account, null, 'rest')), 0n);
  assert.equal(moved(await writeOff(account, null, 'rest'), true), 0n);
  assert.equal(await stands(account), '0.00, owes 0.00');
});

test('what comes back settles what else is owed', async () => {
  const account = await service.createReseller({});
  for (const number of [1, 2]) {
    await topup(account, number, 10_000);
    moved(await pay(account, number, 10_000n));
  }
  await spend(account, '150.00');
  // 50.00 are taken, and 50.00 are owed.
  moved(await takeBack(account, 1, 'stripe:dp_1', 10_000n));
  assert.equal(moved(await takeBack(account, 2, 'stripe:dp_2', 10_000n)), 15_000n);
  assert.equal(moved(await giveBack(account, 'stripe:dp_1')), 5_000n);
  assert.equal(await stands(account), '0.00, owes 50.00');
});

test('a payment, its dispute and its win in one batch are the same as one after another', async () => {
  const account = await service.createReseller({ credit: '1.00' });
  await topup(account, 1, 10_000);
  await topup(account, 2, 100);
  const release = await holdAccount(service, account);
  // Submitted directly: on the embedded database a request would wait behind the held account.
  const first = pay(account, 2, 100n);
  await queueReaches(service, 1);
  const waiting = [
    pay(account, 1, 10_000n),
    takeBack(account, 1, 'stripe:dp_1', 10_000n),
    takeBack(account, 1, 'stripe:dp_1', 10_000n),
    giveBack(account, 'stripe:dp_1'),
    takeBack(account, 1, 'stripe:re_1', 2_500n),
  ];
  await queueReaches(service, 1 + waiting.length);
  await release();
  await first;
  const outcomes = await Promise.all(waiting);
  assert.deepEqual(
    outcomes.map((one) => one.type === 'payment_moved' && one.replayed),
    [false, false, true, false, false],
  );
  assert.equal(await stands(account), '77.00, owes 0.00');
});

test('the events of a top-up say where it, the balance and the receivable stand', async () => {
  const account = await service.createReseller({});
  expectStatus(await account.get('/events'), 200);
  await topup(account, 1, 10_000);
  moved(await pay(account, 1, 10_000n));
  await spend(account, '80.00');
  moved(await takeBack(account, 1, 'stripe:re_1', 1_000n));
  moved(await takeBack(account, 1, 'stripe:dp_1', 9_000n));
  moved(await giveBack(account, 'stripe:dp_1'));
  const { data } = expectStatus(await account.get('/events'), 200);
  const emitted = data
    .filter(({ type }: { type: string }) => type.startsWith('topup.'))
    .map(({ type, data: { topup: one, balance, receivable } }: { type: string; data: never }) => {
      const { status, amount, refunded, disputed } = one as Record<string, string>;
      return `${type}: ${status} ${amount}, ${refunded}, ${disputed}; ${balance}, owes ${receivable}`;
    });
  assert.deepEqual(emitted, [
    'topup.paid: paid 100.00, 0.00, 0.00; 100.00, owes 0.00',
    'topup.refunded: partly_refunded 100.00, 10.00, 0.00; 10.00, owes 0.00',
    'topup.disputed: disputed 100.00, 10.00, 90.00; 0.00, owes 80.00',
    'topup.reinstated: partly_refunded 100.00, 10.00, 0.00; 10.00, owes 0.00',
  ]);
});

test('statements count what went back as debits, and what came back as credits', async () => {
  const account = await service.createReseller({});
  await topup(account, 1, 10_000);
  moved(await pay(account, 1, 10_000n));
  moved(await takeBack(account, 1, 'stripe:dp_1', 10_000n));
  moved(await giveBack(account, 'stripe:dp_1'));
  const { data } = expectStatus(await account.get('/statements'), 200);
  const { credits, debits, closing } = data[0];
  assert.deepEqual({ credits, debits, closing }, { credits: '200.00', debits: '100.00', closing: '100.00' });
});

test('verification names what was changed in payments, reversals and the receivable', async () => {
  const falsehoods: readonly (readonly [string, string, RegExp])[] = [
    [
      'update accounts set receivable_cents = receivable_cents + 1 where id = $id',
      'account $id',
      /its receivable/,
    ],
    ['update payments set amount_cents = amount_cents - 1 where account_id = $id', 'top-up 1', /its payment/],
    ['delete from payments where account_id = $id', 'top-up 1', /no payment/],
    ['delete from topups where account_id = $id', 'top-up 1', /does not exist/],
    [
      'update reversals set taken_cents = taken_cents - 1, settled_cents = settled_cents + 1 where account_id = $id and number = 1',
      'reversal 1',
      /it took/,
    ],
    [
      'delete from payment_entries where account_id = $id and reversal_number is null',
      'ledger entry 1',
      /does not fit/,
    ],
    ['delete from payment_entries where account_id = $id and reversal_number = 1', 'reversal 1', /it took/],
    [
      `update reversals set reinstated_at = now(), open_cents = 0 where account_id = $id and number = 1`,
      'reversal 1',
      /gave back/,
    ],
    [
      'update payment_entries set reversal_number = 7 where account_id = $id and reversal_number = 1',
      'reversal 7',
      /does not exist/,
    ],
    ['delete from write_offs where account_id = $id', 'reversal 1', /written off/],
    [
      'update write_offs set amount_cents = amount_cents - 1 where account_id = $id',
      'reversal 1',
      /written off/,
    ],
    [
      'update write_offs set reversal_number = 8 where account_id = $id',
      'reversal 8',
      /a write-off names it/,
    ],
    [
      `update reversals set written_off_cents = written_off_cents + 1, open_cents = open_cents - 1 where account_id = $id and number = 1;
        update accounts set receivable_cents = receivable_cents - 1 where id = $id`,
      'reversal 1',
      /written off/,
    ],
    // It took nothing, so the ledger has no trace of it.
    [
      `delete from reversals where account_id = $id and number = 2;
        update accounts set receivable_cents = receivable_cents - 2000 where id = $id`,
      'account $id',
      /it has 1 reversals, and counted 2/,
    ],
    [
      'update reversals set number = 3 where account_id = $id and number = 2',
      'account $id',
      /up to number 3/,
    ],
    ['update accounts set reversal_count = 3 where id = $id', 'account $id', /counted 3/],
  ];
  const tables = ['payments', 'topups', 'reversals', 'payment_entries', 'write_offs'];
  const own = (text: string, { id }: TestAccount) => text.replaceAll('$id', String(id));
  const falsified = await Promise.all(
    falsehoods.map(async ([sql, subject, says]) => {
      const account = await service.createReseller({});
      await topup(account, 1, 10_000);
      moved(await pay(account, 1, 10_000n));
      await topup(account, 2, 2_000);
      moved(await pay(account, 2, 2_000n));
      await spend(account, '80.00');
      moved(await takeBack(account, 1, 'stripe:dp_1', 10_000n));
      moved(await takeBack(account, 2, 'stripe:dp_2', 2_000n));
      moved(await writeOff(account, 1_000n));
      return { account, sql, subject, says };
    }),
  );
  await inOrder();
  for (const { account, sql } of falsified) {
    const kept = tables.map(
      (table) => `create table kept_${table}_$id as select * from ${table} where account_id = $id`,
    );
    await falsify(service, account, own([...kept, sql].join('; '), account));
  }
  const { problems } = await verify(service);
  for (const { account, sql, subject, says } of falsified) {
    const named = problems.filter((one) => one.account_id === account.id);
    assert.ok(
      named.some((one) => one.subject === own(subject, account) && says.test(one.problem)),
      `${sql}: ${JSON.stringify(named)}`,
    );
    const restored = tables.map(
      (
        table,
      ) => `delete from ${table} where account_id = $id; insert into ${table} select * from kept_${table}_$id;
        drop table kept_${table}_$id`,
    );
    const right = 'update accounts set receivable_cents = 7000, reversal_count = 2 where id = $id';
    await falsify(service, account, own([...restored, right].join('; '), account));
  }
  await inOrder();
});

test('a halted account keeps its payments for later', async () => {
  const account = await service.createReseller({ credit: '5.00' });
  await topup(account, 1, 10_000);
  const change = (sign: string) =>
    falsify(
      service,
      account,
      `update accounts set balance_cents = balance_cents ${sign} 1 where id = ${account.id}`,
    );
  await change('+');
  await verify(service);
  refusedAs(await pay(account, 1, 10_000n), 'order_failed');
  await change('-');
  await inOrder();
  moved(await pay(account, 1, 10_000n));
  assert.equal(await stands(account), '105.00, owes 0.00');
});
