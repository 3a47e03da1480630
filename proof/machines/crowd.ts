// A crowd of clients sends all kinds of requests to several processes of the service. The journal is compared with the
// ledger. With `testMode`, accounts are also used in test mode, and neither mode may leave traces in the other.

import assert from 'node:assert/strict';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { createRandom, type Random } from '../../src/setup/demo-year/seeded-random.ts';
import { checkJournal, planRequests, readAll, type Sent } from './journal.ts';
import { beginTraces, type Mode, marks, type TraceReport, type TraceWitnesses } from './mode-traces.ts';

export interface CrowdOptions {
  readonly addresses: readonly string[];
  readonly adminKey: string;
  readonly seed: number;
  readonly isOver: (requests: number) => boolean;
  readonly testMode?: TraceWitnesses;
}

export interface CrowdReport {
  readonly requests: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly entries: number;
  readonly traces: TraceReport | null;
}

interface Member {
  readonly mode: Mode;
  readonly id: number;
  readonly key: string;
}

const clientCount = 24;
const opening = { live: '300.00', test: '1000.00' };
const customersEach = 8;
/** From a minute, in which nothing happens, to a month. */
const distances = ['PT1M', 'PT1H', 'PT6H', 'P1D', 'P3D', 'P1M'];
const possibleStatuses = new Set([200, 201, 402, 404, 409, 422]);

export async function runCrowd({
  addresses,
  adminKey,
  seed,
  isOver,
  testMode,
}: CrowdOptions): Promise<CrowdReport> {
  const setUp = createRandom(seed);
  const admin = createApiClient(setUp.pick(addresses), adminKey);
  await raiseOwnLimit(admin);
  const packageIds = await createPackages(admin);
  const live = [
    await createMember(admin, `crowd-${seed}-a`, 'reseller'),
    await createMember(admin, `crowd-${seed}-b`, 'distributor'),
    await createMember(admin, `crowd-${seed}-c`, 'reseller'),
  ];
  const testAccounts =
    testMode === undefined ? [] : await Promise.all(live.map((one) => createTestAccount(admin, one)));
  const members = [...live, ...testAccounts];
  const traces =
    testMode === undefined
      ? null
      : await beginTraces({
          admin,
          witnesses: testMode,
          pairs: live.map((one, place) => ({ live: seenBy(one), test: seenBy(testAccounts[place] ?? one) })),
        });
  const journal: Sent[] = [];
  const placed = new Map<number, number[]>(members.map(({ id }) => [id, []]));
  const customers = new Map<number, number[]>(members.map(({ id }) => [id, []]));
  let moment = 0;

  function seenBy({ id, key }: Member) {
    return { id, client: createApiClient(setUp.pick(addresses), key) };
  }

  async function runClient(number: number): Promise<void> {
    const random = createRandom(seed * 1_000 + number + 1);
    for (let count = 0; !isOver(journal.length); count += 1) {
      const member = random.pick(members);
      const request = draw(random, member, `${number}-${count}`);
      const isAdministrators = request.type === 'credit' && member.mode === 'live';
      const key = isAdministrators ? adminKey : member.key;
      const client = createApiClient(random.pick(addresses), key);
      moment += 1;
      const sentAt = moment;
      const method = request.type === 'auto-renew' ? 'PUT' : 'POST';
      const answer = await (request.type === 'balance'
        ? client.get(request.path)
        : client.send(method, request.path, request.body, { 'idempotency-key': request.key }));
      moment += 1;
      assert.ok(possibleStatuses.has(answer.status), answer.text);
      journal.push({ ...request, accountId: member.id, sentAt, answeredAt: moment, answer });
      if (answer.status === 201 && request.type !== 'credit') {
        placed.get(member.id)?.push(answer.body.order.id);
        customers.get(member.id)?.push(answer.body.order.customer.id);
      }
    }
  }

  function draw(
    random: Random,
    { id, mode }: Member,
    ownKey: string,
  ): Pick<Sent, 'type' | 'path' | 'body' | 'key'> {
    // Texts are marked with their mode, so that the end can search for them in the other mode.
    const mark = testMode === undefined ? '' : `${marks[mode]}-`;
    const what = random.below(mode === 'test' ? 15 : 13);
    if (what < 2) return { type: 'balance', path: '/balance', body: {}, key: '' };
    const shared = random.below(3) === 0 ? Math.floor(moment / 100) * 10 + random.below(10) : null;
    const key = shared === null ? `${mark}own-${ownKey}` : `${mark}shared-${shared}`;
    const data = shared !== null && random.below(5) > 0 ? createRandom(shared) : random;
    if (what >= 13)
      return { type: 'clock', path: '/test/clock', body: { advance: data.pick(distances) }, key };
    if (what < 4) {
      const sign = data.below(3) === 0 && mode === 'live' ? '-' : '';
      const memo = testMode === undefined ? {} : { memo: `${mark}memo` };
      const body = { amount: `${sign}${1 + data.below(60)}.${10 + data.below(90)}`, ...memo };
      if (mode === 'test') return { type: 'credit', path: '/test/credit', body, key };
      return { type: 'credit', path: `/api/admin/v1/accounts/${id}/credit`, body, key };
    }
    const known = placed.get(id) ?? [];
    if (what < 6 && known.length > 0) {
      const body = data.below(3) === 0 ? { months: 3 } : {};
      return { type: 'renew', path: `/orders/${data.pick(known)}/renew`, body, key };
    }
    const owned = customers.get(id) ?? [];
    if (what >= 10 && owned.length > 0) {
      const type = data.pick(planRequests);
      // Picks among the first few, so that requests with a shared key name the same one even after others were added.
      const customer = data.pick(owned.slice(0, 6));
      return { type, path: `/customers/${customer}/${type}`, body: planBody(data, type), key };
    }
    // One reference is used in both modes, where it means two customers.
    const customer = data.below(5) === 0 ? 'wanted-by-all' : `${mark}of-${id}`;
    const body = {
      package_id: data.pick(packageIds),
      customer: `${seed}-${customer}-${data.below(customersEach)}`,
      months: data.pick([1, 1, 3]),
      ...(testMode !== undefined && { customer_name: `${mark}name` }),
    };
    return { type: 'place', path: '/orders', body, key };
  }

  await Promise.all(Array.from({ length: clientCount }, (_nothing, number) => runClient(number)));

  let entryCount = 0;
  for (const member of members) {
    const { id, mode } = member;
    const own = journal.filter(({ accountId }) => accountId === id);
    const [reader, folder] =
      mode === 'live' ? [admin, `/api/admin/v1/accounts/${id}`] : [seenBy(member).client, ''];
    const [orders, entries] = await Promise.all(
      ['orders', 'ledger'].map((list) => readAll(reader, `${folder}/${list}`)),
    );
    assert.ok(orders !== undefined && entries !== undefined);
    checkJournal(own, { orders, entries: entries.toReversed(), openingBalance: opening[mode] });
    entryCount += entries.length;
    if (mode === 'test') checkClock(own);
  }
  // A reference stands for one customer in each mode.
  for (const same of [live, testAccounts]) {
    const ids = new Set(same.map(({ id }) => id));
    checkOwners(journal.filter(({ accountId }) => ids.has(accountId)));
  }
  const report = { requests: journal.length, answers: countAnswers(journal), entries: entryCount };
  return { ...report, traces: traces === null ? null : await traces.check() };
}

/** Bodies after which no plan renews during the run, because such an order would not be in the journal. */
function planBody(data: Random, type: (typeof planRequests)[number]): Record<string, unknown> {
  if (type === 'cancel') return { at: data.pick(['now', 'now', 'period_end']) };
  if (type === 'suspend') return data.below(2) === 0 ? { reason: 'unpaid' } : {};
  return type === 'auto-renew' ? { months: data.pick([1, 3]), hours_before: 24 } : {};
}

/** A test clock never goes back: an answered move is not later than the effect of a request sent after it. */
function checkClock(own: readonly Sent[]): void {
  const timed = own.flatMap(({ type, answer, sentAt, answeredAt }) => {
    const isFresh = !answer.headers.has('idempotent-replayed');
    const time = type === 'clock' ? answer.body.clock?.now : answer.body.order?.created_at;
    return isFresh && typeof time === 'string' ? [{ sentAt, answeredAt, at: Date.parse(time) }] : [];
  });
  const byAnswer = timed.toSorted((one, other) => one.answeredAt - other.answeredAt);
  let latest = 0;
  let next = 0;
  for (const { sentAt, at } of timed.toSorted((one, other) => one.sentAt - other.sentAt)) {
    for (let earlier = byAnswer[next]; earlier !== undefined; earlier = byAnswer[next]) {
      if (earlier.answeredAt >= sentAt) break;
      latest = Math.max(latest, earlier.at);
      next += 1;
    }
    assert.ok(at >= latest, `a test clock went back from ${latest} to ${at}`);
  }
}

/** A customer belongs to one account forever, so only other accounts may be refused. */
function checkOwners(journal: readonly Sent[]): void {
  const owners = new Map<unknown, number>();
  for (const { accountId, answer } of journal) {
    const reference = answer.body?.order?.customer.reference;
    if (reference === undefined) continue;
    assert.equal(owners.get(reference) ?? accountId, accountId, `${reference} has one owner`);
    owners.set(reference, accountId);
  }
  for (const { accountId, body, answer } of journal)
    if (answer.body?.error?.code === 'customer_not_yours')
      assert.notEqual(owners.get(body['customer']), accountId);
}

function countAnswers(journal: readonly Sent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type, answer } of journal) {
    const replayed = answer.headers.has('idempotent-replayed') ? 'replayed' : answer.status;
    const label = `${type} ${answer.body?.error?.code ?? replayed}`;
    counts[label] = (counts[label] ?? 0) + 1;
  }
  return counts;
}

async function raiseOwnLimit(admin: ReturnType<typeof createApiClient>): Promise<void> {
  const accounts = await readAll(admin, '/api/admin/v1/accounts');
  const own = accounts.find(({ is_admin: isAdmin }) => isAdmin === true);
  const answer = await admin.patch(`/api/admin/v1/accounts/${own?.['id']}`, {
    rate_limit_per_minute: 1_000_000,
  });
  assert.equal(answer.status, 200, answer.text);
}

async function createPackages(admin: ReturnType<typeof createApiClient>): Promise<number[]> {
  const ids: number[] = [];
  for (const [name, monthly, quarterly, yearly] of [
    ['Small', '4.99', '13.99', '49.90'],
    ['Large', '9.99', '27.77', '99.00'],
  ]) {
    const prices = { monthly, quarterly, yearly };
    const answer = await admin.post('/api/admin/v1/packages', {
      name,
      limits: { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 },
      prices: { reseller: prices, distributor: prices },
    });
    assert.equal(answer.status, 201, answer.text);
    ids.push(answer.body.package.id);
  }
  return ids;
}

async function createMember(
  admin: ReturnType<typeof createApiClient>,
  username: string,
  group: 'reseller' | 'distributor',
): Promise<Member> {
  const limit = { rate_limit_per_minute: 1_000_000 };
  const created = await admin.post('/api/admin/v1/accounts', { username, group, ...limit });
  assert.equal(created.status, 201, created.text);
  const { id } = created.body.account;
  const credited = await admin.post(`/api/admin/v1/accounts/${id}/credit`, { amount: opening.live });
  assert.equal(credited.status, 201, credited.text);
  return { mode: 'live', id, key: created.body.api_key };
}

async function createTestAccount(admin: ReturnType<typeof createApiClient>, { id }: Member): Promise<Member> {
  const made = await admin.post(`/api/admin/v1/accounts/${id}/keys`, { name: 'crowd', test: true });
  assert.equal(made.status, 201, made.text);
  const key: string = made.body.api_key;
  const { body, text } = await admin.get('/ledger', { authorization: `Bearer ${key}` });
  assert.equal(body?.data?.length, 1, text);
  return { mode: 'test', id: Math.floor(body.data[0].id / 1_000_000_000), key };
}
