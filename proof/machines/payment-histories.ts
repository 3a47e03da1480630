// Random histories of payments against a real service and the stand-in for Stripe: webhooks repeated, reordered, dropped, late
// and forged, refunds and disputes on both sides, outages of days. At the end of each the books must equal
// oracle/payment-truth.ts, however everything arrived.
// Invariant: a request is repeated with its key until its answer is clear, so the history knows what was done.

import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { rfReference } from '../../src/features/payments/bank/rf-reference.ts';
import type { Random } from '../../src/setup/demo-year/seeded-random.ts';
import type { StandInStripe } from '../../src/stand-in-stripe/stand-in-stripe.ts';
import { type Dealings, type Truth, trueMoney, trueTopup } from '../oracle/payment-truth.ts';

/** Where histories happen. */
export interface PaymentPlace {
  /** One of the processes. */
  address(): string;
  readonly adminKey: string;
  readonly standIn: StandInStripe;
  /** Moves the clock of the service and the provider. */
  advance(seconds: number): Promise<void>;
  /** Looks once at what waits: open top-ups, events, refunds, low balances. */
  runJobs(): Promise<void>;
  /** How often the books are looked at until they must be right. Default: once. */
  readonly looks?: number;
  /** Says when nothing may be killed. */
  setCalm?(isCalm: boolean): Promise<void>;
  /** Whether this history goes back to a backup of its middle. */
  readonly restores?: boolean;
  /** @returns what restores it */
  backUp?(): Promise<() => Promise<void>>;
}

export interface PaymentAccount {
  readonly id: number;
  readonly key: string;
}

export interface Counts {
  [what: string]: number;
}

const webhookSecret = 'whsec_FirstSecret';
const iban = 'DE89370400440532013000';
const daySeconds = 86_400;
const clearMilliseconds = 90_000;
const stepsMin = 15;
const stepsMore = 25;

export async function preparePayments(place: PaymentPlace): Promise<void> {
  const methods = {
    card: { provider: 'stripe', secret_key: 'sk_test_machine', webhook_secret: webhookSecret, enabled: true },
    bank_transfer: { enabled: true, holder: 'Machine', iban },
  };
  const set = await ask(place, 'PUT', '/api/admin/v1/payments', {
    ...{ methods, minimum: '1.00', maximum: '5000.00' },
  });
  if (set.status !== 200) throw new Error(`The payments cannot be set: ${set.text}`);
  const prices = { monthly: '7.00', quarterly: '20.00', yearly: '75.00' };
  const limits = { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 };
  const made = await ask(place, 'POST', '/api/admin/v1/packages', {
    ...{ name: 'Machine', limits, prices: { reseller: prices, distributor: prices } },
  });
  if (made.status !== 201) throw new Error(`A package cannot be made: ${made.text}`);
}

export interface Webhooks {
  readonly urls: readonly string[];
}

export function sendWebhooksTo(standIn: StandInStripe, { urls }: Webhooks): void {
  standIn.control.setEndpoints([
    { urls: urls.map((url) => `${url}/payments/stripe`), secrets: [webhookSecret] },
  ]);
}

/** A history of one or two new accounts. @returns what differs from the truth */
export async function playPayments(place: PaymentPlace, random: Random, counts: Counts): Promise<string[]> {
  const accounts: PaymentAccount[] = [];
  for (let count = 1 + random.below(2); count > 0; count -= 1) accounts.push(await newAccount(place, random));
  const history = createHistory(place, random, counts, accounts);
  const steps = () => stepsMin + random.below(stepsMore);
  for (let left = steps(); left > 0; left -= 1) await history.step();
  if (place.restores === true) await history.loseSteps(steps() / 2);
  const problems = await history.end();
  counts['histories'] = (counts['histories'] ?? 0) + 1;
  return problems.length === 0 ? [] : [...problems, `steps: ${history.taken().join('; ')}`];
}

async function newAccount(place: PaymentPlace, random: Random): Promise<PaymentAccount> {
  const username = `pays-${random.below(2 ** 30).toString(36)}-${random.below(2 ** 30).toString(36)}`;
  const made = await ask(place, 'POST', '/api/admin/v1/accounts', { username, group: 'reseller' });
  if (made.status !== 201) throw new Error(`An account cannot be made: ${made.text}`);
  return { id: made.body.account.id, key: made.body.api_key };
}

/** Repeats until the answer is clear. */
async function ask(
  place: Pick<PaymentPlace, 'address' | 'adminKey'>,
  method: string,
  path: string,
  body?: object,
  { key = place.adminKey, idempotencyKey }: { key?: string; idempotencyKey?: string } = {},
): Promise<Answer> {
  const until = performance.now() + clearMilliseconds;
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  for (;;) {
    try {
      const answer = await createApiClient(place.address(), key).send(method, path, body, headers);
      if (answer.status < 500 && answer.status !== 429) return answer;
      // Without a key, or where the provider is away, asking again is for the caller.
      if (answer.body?.error?.code === 'provider_unavailable') return answer;
      if (performance.now() > until)
        throw new Error(`${method} ${path} stays ${answer.status}: ${answer.text}`);
    } catch (error) {
      if (performance.now() > until) throw error;
    }
    await pause(50);
  }
}

interface Session {
  readonly account: PaymentAccount;
  readonly id: string;
  readonly topupId: number;
}

interface Transfer {
  readonly account: PaymentAccount;
  readonly cents: bigint;
  readonly endToEndId: string;
}

interface BankLine {
  readonly day: string;
  /** Negative: returned. */
  readonly cents: bigint;
  readonly text: string;
  readonly endToEndId: string;
  readonly bankId: string;
}

type Step = readonly [weight: number, name: string, run: () => Promise<unknown> | unknown];

function createHistory(
  place: PaymentPlace,
  random: Random,
  counts: Counts,
  accounts: readonly PaymentAccount[],
) {
  const { standIn } = place;
  const { control } = standIn;
  const dealings = new Map<number, Dealings>(accounts.map(({ id }) => [id, { otherCents: 0n }]));
  const sessions: Session[] = [];
  const unpaid = new Set<Session>();
  const paid: Session[] = [];
  const delayed: string[] = [];
  const refunds: string[] = [];
  const disputes: string[] = [];
  const blocked = new Set<number>();
  const bankCents = new Map<number, bigint>();
  const bankLines: BankLine[] = [];
  const transfers: Transfer[] = [];
  // Only an XML file marks returns.
  const isXml = random.below(3) > 0;
  const taken: string[] = [];
  /** What the operator may be asked about. Any other payment that is kept is a fault. */
  const doubtfulReasons = new Set<string>();
  let keys = 0;
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const newKey = () => {
    keys += 1;
    return `h-${random.below(2 ** 30).toString(36)}-${keys}`;
  };
  const cents = () => BigInt(100 + random.below(20_000));
  const book = ({ id }: Pick<PaymentAccount, 'id'>, value: bigint) => {
    const own = dealings.get(id);
    if (own !== undefined) own.otherCents += value;
  };

  /** The provider refuses some, such as a refund of what was refunded. That is its right. */
  function atProvider<Result>(work: () => Result): Result | null {
    try {
      return work();
    } catch {
      return null;
    }
  }

  const isTaken = (work: () => void) =>
    atProvider(() => {
      work();
      return true;
    }) !== null;

  async function topUp(): Promise<void> {
    const account = random.pick(accounts);
    const body = { amount: decimal(cents()), method: 'card' };
    const made = await ask(place, 'POST', '/api/v1/topups', body, {
      ...{ key: account.key, idempotencyKey: newKey() },
    });
    const id = /cs_\w+/.exec(made.body?.topup?.pay_url ?? '')?.[0];
    if (id === undefined) return;
    const session = { account, id, topupId: made.body.topup.id };
    sessions.push(session);
    unpaid.add(session);
  }

  function press(): void {
    if (unpaid.size === 0) return;
    const session = random.pick([...unpaid]);
    const { id } = session;
    const button = random.pick([
      ...(['pay', 'pay', 'pay', 'pay', 'fail', 'pay_later', 'pay_later_then_fail'] as const),
      'pay_and_dispute' as const,
    ]);
    if (!isTaken(() => control.press(id, button))) return;
    if (button !== 'fail') unpaid.delete(session);
    if (button.startsWith('pay')) paid.push(session);
    count(`pressed ${button}`);
    if (button.startsWith('pay_later')) delayed.push(id);
  }

  function settleLater(): void {
    const [id] = delayed.splice(random.below(delayed.length), 1);
    if (id !== undefined) atProvider(() => control.settle(id, random.below(3) > 0 ? 'succeeds' : 'fails'));
  }

  async function cancel(): Promise<void> {
    if (sessions.length === 0) return;
    const { account, topupId } = random.pick(sessions);
    await ask(place, 'POST', `/api/v1/topups/${topupId}/cancel`, {}, { key: account.key });
  }

  async function spend(): Promise<void> {
    const account = random.pick(accounts);
    const value = cents();
    const body = { amount: `-${decimal(value)}`, memo: 'Spent' };
    const spent = await ask(place, 'POST', `/api/admin/v1/accounts/${account.id}/credit`, body, {
      idempotencyKey: newKey(),
    });
    if (spent.status === 201) book(account, -value);
  }

  async function credit(): Promise<void> {
    const account = random.pick(accounts);
    const value = BigInt(1 + random.below(3_000));
    const body = { amount: decimal(value), memo: 'Credit' };
    const credited = await ask(place, 'POST', `/api/admin/v1/accounts/${account.id}/credit`, body, {
      idempotencyKey: newKey(),
    });
    if (credited.status === 201) book(account, value);
  }

  async function refundHere(): Promise<void> {
    if (paid.length === 0) return;
    const { topupId } = random.pick(paid);
    const body = { amount: decimal(cents() / 2n), allow_receivable: random.below(2) === 0 };
    const path = `/api/admin/v1/topups/${topupId}/refunds`;
    const idempotencyKey = newKey();
    const copies = 1 + random.below(3);
    const answers = await Promise.all(
      Array.from({ length: copies }, () => ask(place, 'POST', path, body, { idempotencyKey })),
    );
    for (const { status } of answers) if (status === 201) count('refunds by the operator');
  }

  function refundThere(): void {
    if (paid.length === 0) return;
    const { id } = random.pick(paid);
    control.setRefundStatus(random.below(3) === 0 ? 'pending' : 'succeeded');
    const amount = random.below(3) === 0 ? undefined : 1 + random.below(9_000);
    const refund = atProvider(() => control.refund(id, amount));
    control.setRefundStatus('succeeded');
    if (refund === null) return;
    refunds.push(refund.id);
    count('refunds at the provider');
  }

  function endRefund(): void {
    if (refunds.length === 0) return;
    const id = random.pick(refunds);
    atProvider(() => control.settleRefund(id, random.below(2) === 0 ? 'failed' : 'succeeded'));
  }

  function dispute(): void {
    if (paid.length === 0) return;
    const { id } = random.pick(paid);
    const opened = atProvider(() => control.dispute(id, { isInquiry: random.below(4) === 0 }));
    if (opened === null) return;
    disputes.push(opened.id);
    count('disputes');
  }

  function moveDispute(): void {
    if (disputes.length === 0) return;
    const id = random.pick(disputes.slice(-3));
    const move = random.pick(['win', 'win', 'win', 'lose', 'escalate', 'close_inquiry'] as const);
    if (isTaken(() => control.moveDispute(id, move))) count(`disputes: ${move}`);
  }

  async function order(): Promise<void> {
    const { id, key } = random.pick(accounts);
    const { data } = (await ask(place, 'GET', '/api/admin/v1/packages')).body;
    const body = { package_id: data[0].id, customer: newKey(), months: random.pick([1, 3]) };
    const idempotencyKey = newKey();
    const answers = await Promise.all(
      Array.from({ length: 1 + random.below(2) }, () =>
        ask(place, 'POST', '/api/v1/orders', body, { key, idempotencyKey }),
      ),
    );
    const placed = answers.find(({ status }) => status === 201);
    if (placed === undefined) return;
    book({ id }, -centsOf(placed.body.order.price));
    count('orders');
  }

  /** The books' own clock does not matter to a bank. @returns null after the last day */
  function nextDay(): string | null {
    const last = bankLines.at(-1)?.day ?? '2026-01-00';
    const number = Number(last.slice(-2)) + random.below(2);
    return number > 28 ? null : `2026-01-${String(Math.max(number, 1)).padStart(2, '0')}`;
  }

  async function transfer(): Promise<void> {
    const day = nextDay();
    if (day === null) return;
    const account = random.pick(accounts);
    const value = BigInt(100 * (1 + random.below(5)));
    // Two equal lines of one day are two transfers.
    for (let left = 1 + random.below(2); left > 0; left -= 1) {
      const endToEndId = isXml ? newKey() : '';
      transfers.push({ account, cents: value, endToEndId });
      addLine({ day, cents: value, text: rfReference(account.id), endToEndId, bankId: newKey() }, account);
    }
    await importDays(random.pick(bankLines).day);
  }

  async function giveBack(): Promise<void> {
    const day = nextDay();
    if (!isXml || day === null || transfers.length === 0) return;
    const [returned] = transfers.splice(random.below(transfers.length), 1);
    if (returned === undefined) return;
    const { account, cents: value, endToEndId } = returned;
    addLine({ day, cents: -value, text: 'Returned', endToEndId, bankId: newKey() }, account);
    count('returned transfers');
    await importDays(random.pick(bankLines).day);
  }

  function addLine(line: BankLine, account: PaymentAccount): void {
    bankLines.push(line);
    book(account, line.cents);
    bankCents.set(account.id, (bankCents.get(account.id) ?? 0n) + line.cents);
  }

  /** Whole days, overlapping with earlier files, sometimes by two operators at once. */
  async function importDays(from: string): Promise<void> {
    const lines = bankLines.filter(({ day }) => day >= from);
    const columns = { date: 'Day', amount: 'Amount', text: 'Text' };
    const body = isXml
      ? { file: base64(camtOf(lines)) }
      : { file: base64(csvOf(lines)), csv: { columns, delimiter: ';' } };
    const files = Array.from({ length: 1 + random.below(2) }, () =>
      ask(place, 'POST', '/api/admin/v1/bank-statements', body),
    );
    for (const { status, text: answer } of await Promise.all(files)) {
      if (status !== 200) throw new Error(`The statement is refused: ${answer}`);
      count('statements');
    }
  }

  async function block(): Promise<void> {
    const account = random.pick(accounts);
    const isBlocked = blocked.has(account.id);
    await ask(place, 'PATCH', `/api/admin/v1/accounts/${account.id}`, { blocked: !isBlocked });
    if (isBlocked) blocked.delete(account.id);
    else blocked.add(account.id);
  }

  async function saveCard(): Promise<void> {
    const { key } = random.pick(accounts);
    const made = await ask(place, 'POST', '/api/v1/auto-topup/card', {}, { key });
    const id = /cs_\w+/.exec(made.body?.setup_url ?? '')?.[0];
    if (id === undefined) return;
    const button = random.pick([
      ...(['save_card', 'save_card', 'save_card_that_asks', 'save_card_that_fails'] as const),
    ]);
    atProvider(() => control.press(id, button));
    const wanted = { below: '20.00', amount: '30.00', monthly_maximum: '300.00' };
    await ask(place, 'PUT', '/api/v1/auto-topup', wanted, { key });
  }

  function deliveries(): void {
    const mode = random.pick(['send', 'send', 'send', 'drop', 'hold'] as const);
    const isOld = random.below(8) === 0;
    control.configureDeliveries({
      mode,
      copies: random.pick([1, 1, 2, 5]),
      signatureSeconds: isOld ? -700 : 0,
      signsWithWrongSecret: random.below(10) === 0,
    });
    count(`webhooks: ${mode}`);
  }

  async function release(): Promise<void> {
    await control.release(random.pick(['oldest_first', 'newest_first'] as const));
  }

  function outage(): void {
    // Each request without an answer takes ten seconds.
    const isSilent = random.below(80) === 0;
    control.setFault({
      answer: isSilent ? 'silence' : random.pick([500, 429] as const),
      requests: isSilent ? 1 : 1 + random.below(8),
      afterEffect: random.below(2) === 0,
    });
    count('outages');
  }

  function lie(): void {
    if (random.below(2) === 0) control.falsify(null);
    else {
      doubtfulReasons.add('amount_differs');
      control.falsify({
        amount: 1 + random.below(99_999),
        in: random.pick(['events', 'answers', 'both'] as const),
      });
    }
    count('wrong amounts');
  }

  async function forge(): Promise<void> {
    const money = { amount_received: 100, currency: 'usd', metadata: {} };
    const object = { id: 'pi_forged', object: 'payment_intent', status: 'succeeded', ...money };
    const event = { id: 'evt_forged', object: 'event', type: 'payment_intent.succeeded', data: { object } };
    const body = JSON.stringify(event);
    const headers = { 'stripe-signature': `t=1,v1=${'0'.repeat(64)}` };
    const url = `${place.address()}/payments/stripe`;
    const sent = await fetch(url, { method: 'POST', body, headers }).catch(() => null);
    if (sent !== null && sent.status < 300) throw new Error('A forged webhook was taken.');
  }

  async function wait(): Promise<void> {
    await place.advance(random.pick([60, 600, 3_600, 5 * 3_600, daySeconds, 2 * daySeconds]));
  }

  const steps: readonly Step[] = [
    [14, 'topUp', topUp],
    [16, 'press', press],
    [4, 'settleLater', settleLater],
    [2, 'cancel', cancel],
    [6, 'spend', spend],
    [2, 'credit', credit],
    [7, 'refundHere', refundHere],
    [6, 'refundThere', refundThere],
    [4, 'endRefund', endRefund],
    [8, 'dispute', dispute],
    [9, 'moveDispute', moveDispute],
    [6, 'order', order],
    [2, 'transfer', transfer],
    [2, 'giveBack', giveBack],
    [1, 'block', block],
    [2, 'saveCard', saveCard],
    [4, 'deliveries', deliveries],
    [2, 'release', release],
    [2, 'outage', outage],
    [1, 'lie', lie],
    [1, 'forge', forge],
    [4, 'wait', wait],
    [3, 'runJobs', () => place.runJobs()],
  ];
  const weights = steps.reduce((sum, [weight]) => sum + weight, 0);

  function draw(): Step {
    let at = random.below(weights);
    for (const step of steps) {
      at -= step[0];
      if (at < 0) return step;
    }
    throw new Error('No step was drawn.');
  }

  /** The provider is well again, and everything that waits may happen. */
  async function calm(): Promise<void> {
    control.setFault(null);
    control.falsify(null);
    await control.release();
    control.configureDeliveries({
      mode: 'send',
      copies: 1,
      signatureSeconds: 0,
      signsWithWrongSecret: false,
    });
    for (const id of blocked) await ask(place, 'PATCH', `/api/admin/v1/accounts/${id}`, { blocked: false });
    await control.deliveriesSettled();
    for (const seconds of [180, 3_600, daySeconds, daySeconds]) {
      await place.advance(seconds);
      await place.runJobs();
    }
    await control.deliveriesSettled();
  }

  /** The operator's own doings are lost; the provider's and the bank's are not. */
  async function loseSteps(lost: number): Promise<void> {
    await place.setCalm?.(true);
    const restore = await place.backUp?.();
    await place.setCalm?.(false);
    if (restore === undefined) return;
    const before = [...dealings].map(([id, { otherCents }]) => [id, otherCents] as const);
    const [blockedBefore, bankBefore] = [[...blocked], new Map(bankCents)];
    taken.push('backup');
    for (let left = lost; left > 0; left -= 1) {
      const [, name, run] = draw();
      taken.push(name);
      await run();
    }
    await place.setCalm?.(true);
    await restore();
    await place.setCalm?.(false);
    taken.push('restore');
    doubtfulReasons.add('unknown_topup');
    count('restores');
    for (const [id, otherCents] of before) {
      const sinceBank = (bankCents.get(id) ?? 0n) - (bankBefore.get(id) ?? 0n);
      dealings.set(id, { otherCents: otherCents + sinceBank });
    }
    blocked.clear();
    for (const id of blockedBefore) blocked.add(id);
    if (bankLines.length > 0) await importDays('');
  }

  async function look(): Promise<string[]> {
    const truth = withoutDoubtful(await readTruth(standIn), await doubtfulPayments(place, doubtfulReasons));
    const problems: string[] = [];
    for (const account of accounts)
      problems.push(
        ...(await compare(place, account, truth, dealings.get(account.id) ?? { otherCents: 0n })),
      );
    return problems;
  }

  return {
    taken: () => taken,
    loseSteps,
    async step(): Promise<void> {
      const [, name, run] = draw();
      taken.push(name);
      await run();
    },
    async end(): Promise<string[]> {
      await place.setCalm?.(true);
      await calm();
      let problems = await look();
      for (let looks = place.looks ?? 1; problems.length > 0 && looks > 1; looks -= 1) {
        await place.runJobs();
        problems = await look();
      }
      for (const account of accounts) problems.push(...(await writeOff(place, account, newKey())));
      await place.setCalm?.(false);
      return problems;
    },
  };
}

interface ListedObject {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly amount_received?: number;
  readonly payment_intent?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Asks the provider itself, not the service. */
async function readTruth(standIn: StandInStripe): Promise<Truth> {
  const [intents, refunds, disputes] = await Promise.all([
    listAll(standIn, 'payment_intents'),
    listAll(standIn, 'refunds'),
    listAll(standIn, 'disputes'),
  ]);
  return {
    payments: intents
      .filter(
        ({ status, metadata }) => status === 'succeeded' && metadata?.['sellthrough_topup'] !== undefined,
      )
      .map(({ id, amount_received: received = 0, metadata }) => ({
        ...{ id, topupId: Number(metadata?.['sellthrough_topup']), amountCents: BigInt(received) },
      })),
    reversals: [
      ...refunds
        .filter(({ status }) => status !== 'failed' && status !== 'canceled')
        .map(({ payment_intent: paymentId = '', amount }) => ({
          ...{ paymentId, kind: 'refund' as const, amountCents: BigInt(amount) },
        })),
      ...disputes
        .filter(({ status }) => ['needs_response', 'under_review', 'lost'].includes(status))
        .map(({ payment_intent: paymentId = '', amount }) => ({
          ...{ paymentId, kind: 'dispute' as const, amountCents: BigInt(amount) },
        })),
    ],
  };
}

async function listAll({ url }: StandInStripe, list: string): Promise<ListedObject[]> {
  const found: ListedObject[] = [];
  for (;;) {
    const after = found.at(-1) === undefined ? '' : `&starting_after=${found.at(-1)?.id}`;
    const answer = await fetch(`${url}/v1/${list}?limit=100${after}`, {
      headers: { authorization: 'Bearer sk_test_machine' },
    });
    const { data, has_more: hasMore } = (await answer.json()) as { data: ListedObject[]; has_more: boolean };
    found.push(...data);
    if (!hasMore) return found;
  }
}

/** Payments that stand for the operator: the provider gave another amount, or a restore lost the top-up. */
async function doubtfulPayments(
  place: PaymentPlace,
  reasons: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const { data } = (await ask(place, 'GET', '/api/admin/v1/payment-problems')).body;
  const kept: { reason: string; reference: string }[] = data;
  return new Set(
    kept
      .filter(({ reason }) => reasons.has(reason))
      .map(({ reference }) => reference.slice(reference.indexOf(':') + 1)),
  );
}

function withoutDoubtful({ payments, reversals }: Truth, doubtful: ReadonlySet<string>): Truth {
  return {
    payments: payments.filter(({ id }) => !doubtful.has(id)),
    reversals: reversals.filter(({ paymentId }) => !doubtful.has(paymentId)),
  };
}

async function compare(
  place: PaymentPlace,
  account: PaymentAccount,
  truth: Truth,
  own: Dealings,
): Promise<string[]> {
  const problems: string[] = [];
  const { balanceCents, receivableCents } = trueMoney(account.id, truth, own);
  const shown = await ask(place, 'GET', '/api/v1/balance', undefined, { key: account.key });
  const said = `balance ${shown.body?.balance}, receivable ${shown.body?.receivable}`;
  const wanted = `balance ${decimal(balanceCents)}, receivable ${decimal(receivableCents)}`;
  if (said !== wanted) problems.push(`account ${account.id}: ${said}; should be ${wanted}`);

  const { data } = (await ask(place, 'GET', `/api/admin/v1/topups?account_id=${account.id}&limit=100`)).body;
  const references = new Map<string, string>();
  for (const { topup } of data) {
    const { id, method, status, refunded, disputed, credited_at: at, reference } = topup;
    if (method !== 'card') continue;
    const paid = truth.payments.filter(({ topupId }) => topupId === id);
    const [payment] = paid;
    if (payment === undefined) {
      if (at !== null) problems.push(`top-up ${id} is credited, and was not paid`);
      continue;
    }
    const is = at === null ? 'not credited' : `${status}, refunded ${refunded}, disputed ${disputed}`;
    const truly = trueTopup(payment, truth);
    const should = `${truly.status}, refunded ${decimal(truly.refundedCents)}, disputed ${decimal(truly.disputedCents)}`;
    if (is !== should) problems.push(`top-up ${id}: ${is}; should be ${should}`);
    if (reference !== null && references.has(reference))
      problems.push(`${reference} is credited to ${references.get(reference)} and ${id}`);
    if (reference !== null) references.set(reference, String(id));
  }
  return problems;
}

/** Half of what is owed is forgiven: only the receivable changes. */
async function writeOff(
  place: PaymentPlace,
  { id, key }: PaymentAccount,
  idempotencyKey: string,
): Promise<string[]> {
  const money = async () => (await ask(place, 'GET', '/api/v1/balance', undefined, { key })).body;
  const before = await money();
  const owed = centsOf(before.receivable);
  if (owed < 2n) return [];
  const path = `/api/admin/v1/accounts/${id}/receivable/write-offs`;
  const body = { amount: decimal(owed / 2n), memo: 'Forgiven' };
  for (let time = 0; time < 2; time += 1) {
    const written = await ask(place, 'POST', path, body, { idempotencyKey });
    if (written.status !== 201) return [`the write-off is refused: ${written.text}`];
  }
  const after = await money();
  const left = decimal(owed - owed / 2n);
  return after.receivable === left && after.balance === before.balance
    ? []
    : [`after a write-off account ${id} owes ${after.receivable}, should owe ${left}`];
}

function decimal(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

function centsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

function csvOf(lines: readonly BankLine[]): string {
  const rows = lines.map(({ day, cents, text }) => `${day};${decimal(cents)};${text}`);
  return ['Day;Amount;Text', ...rows].join('\n');
}

function camtOf(lines: readonly BankLine[]): string {
  const entries = lines.map(({ day, cents, text, endToEndId, bankId }) => {
    const isReturn = cents < 0n;
    return `<Ntry><Amt Ccy="USD">${decimal(isReturn ? -cents : cents)}</Amt>
      <CdtDbtInd>${isReturn ? 'DBIT' : 'CRDT'}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>${day}</Dt></BookgDt>
      <AcctSvcrRef>${bankId}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd>
      <SubFmlyCd>${isReturn ? 'RRTN' : 'ESCT'}</SubFmlyCd></Fmly></Domn></BkTxCd>
      <NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs>
      <RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
    <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>S</Id>
    <Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>USD</Ccy></Acct>${entries.join('')}</Stmt></BkToCstmrStmt></Document>`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** What `verify` says of all accounts. */
export async function verifyOf(place: PaymentPlace): Promise<string[]> {
  const { body, text } = await ask(place, 'GET', '/api/admin/v1/verify');
  return body?.ok === true ? [] : [`verify: ${text}`];
}
