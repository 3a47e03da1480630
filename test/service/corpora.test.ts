// Sends public corpora of odd inputs everywhere. `npm test` sends one in three of the strings and values, `npm run proof`
// all. TEST_CORPORA names a folder with more files of the same names and format.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readPlaceRequest } from '../../proof/oracle/oracle-request.ts';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import { sendRequest } from '../../scripts/throwaway/send-request.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { cookieOf, openPage, pathOfLink } from '../harness/browser-request.ts';
import { rawRequest, sendRaw } from '../harness/raw-socket.ts';
import { expectRefusal, expectSomeRefusal } from '../harness/refusals.ts';
import { createPackage } from '../harness/shop.ts';

const jsonTexts = readCorpus('json-texts');
const httpRequests = readCorpus('http-requests');
const spacing = process.env['PROOF_CORPORA'] === 'all' ? 1 : 3;
const isSent = (_: unknown, place: number) => place % spacing === 0;
const fieldValues = Object.entries(readCorpus('field-values')).filter(isSent);
const naughtyStrings: readonly string[] = [
  ...new Set<string>(JSON.parse(readFileSync(corpusPath('naughty-strings'), 'utf8'))),
].filter(isSent);

let service: TestService;
let reseller: TestAccount;
let heapBefore: number;
before(async () => {
  service = await startTestService({
    limits: {
      // Short, so that requests without an end are answered during the test, but long enough for others.
      http: { headersMilliseconds: 10_000, requestMilliseconds: 12_000 },
      // Every naughty string is sent as a key, so failures must not be limited.
      rates: { failuresPerMinute: 1_000_000 },
    },
  });
  reseller = await service.createReseller({ credit: '9000000.00' });
});
after(() => service.close());

afterEach(() => {
  // Remove the lines, because the memory of the run is measured.
  const failed = service.logLines
    .splice(0)
    .filter((line) => Number(line['status']) >= 500 || Number(line['level']) > 40);
  assert.deepEqual(failed.slice(0, 3), [], `${failed.length} requests failed on our side`);
});

test('a text that is no JSON object is invalid_json for every route with a body; a JSON object never causes a 500', async () => {
  const spare = await service.createReseller();
  const order = await reseller.post('/orders', { package_id: service.packages.basic, customer: 'of-texts' });
  assert.equal(order.status, 201, order.text);
  const { id: orderId, customer } = order.body.order;
  const admin = '/api/admin/v1';
  const routes: readonly [method: string, path: string, key: string][] = [
    ['POST', '/api/v1/orders', reseller.key],
    ['POST', `/api/v1/orders/${orderId}/renew`, reseller.key],
    ['POST', `${admin}/accounts`, service.admin.key],
    ['PATCH', `${admin}/accounts/${spare.id}`, service.admin.key],
    ['POST', `${admin}/accounts/${spare.id}/credit`, service.admin.key],
    ['POST', `${admin}/accounts/${spare.id}/trials`, service.admin.key],
    ['POST', `${admin}/accounts/${spare.id}/api-key`, service.admin.key],
    ['POST', `${admin}/packages`, service.admin.key],
    ['PATCH', `${admin}/packages/${service.packages.plus}`, service.admin.key],
    ['PATCH', `${admin}/customers/${customer.id}`, service.admin.key],
    ['POST', `${admin}/login-codes/exchange`, service.admin.key],
  ];
  const texts = Object.entries({ ...jsonTexts, ...longTexts() });
  for (const [place, [method, path, key]] of routes.entries()) {
    // One body reader serves all routes: the first route gets every text, the others share them. All routes get these.
    const ofEveryRoute = new Set(['y_one member', 'n_100,000 brackets opened', 'y_10,000 objects deep']);
    const sent = texts.filter(
      ([name], index) => place === 0 || ofEveryRoute.has(name) || index % (routes.length - 1) === place - 1,
    );
    // Every object is a valid renewal, so one text is enough.
    const renews = path.endsWith('/renew');
    let renewals = 0;
    await forEvery(sent, async ([name, text]) => {
      const bytes = Buffer.from(text, 'latin1');
      if (bytes.length === 0) return;
      const isObject = readsAsObject(bytes);
      if (renews && isObject && name !== 'y_one member') return;
      const answer = await sendBytes(method, path, key, bytes);
      const why = `${method} ${path} ${name}`;
      if (name.startsWith('n_')) assert.equal(isObject, false, `${why}: the corpus says this is no JSON`);
      if (bytes.length > 65_536) expectRefusal(answer, '413 payload_too_large', undefined, why);
      else if (!isObject) expectRefusal(answer, '400 invalid_json', undefined, why);
      else if (answer.status >= 400) {
        expectSomeRefusal(answer, why);
        assert.notEqual(answer.status, 400, `${why}: this is one JSON object ${answer.text}`);
      } else if (renews) renewals += 1;
    });
    if (renews) assert.equal(renewals, 1, 'a body of other fields renews');
  }
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  heapBefore = heapBytes();
});

test('naughty strings as customer are taken or refused as the rules say, and come back as they were taken', async () => {
  let taken = 0;
  await forEvery(naughtyStrings, async (text) => {
    const body = { package_id: service.packages.basic, customer: text };
    const expected = readPlaceRequest(body, undefined);
    const answer = await reseller.post('/orders', body);
    const why = JSON.stringify(text);
    if ('code' in expected) return expectRefusal(answer, `422 ${expected.code}`, undefined, why);
    taken += 1;
    assert.equal(answer.status, 201, `${why} ${answer.text}`);
    const { customer } = answer.body.order;
    assert.equal(customer.reference, expected.customerReference, why);
    const shown = await reseller.get(`/customers/${customer.id}`);
    assert.equal(shown.body.customer.email, customer.email, why);
  });
  assert.ok(taken >= 20 / spacing, `${taken} are usernames or addresses`);
});

test('naughty strings as customer_name come back byte for byte, and stand escaped on the customer’s page', async () => {
  const pageOf = async (customer: string, name: string): Promise<{ shown: string; page: string } | null> => {
    const body = {
      package_id: service.packages.basic,
      customer,
      customer_name: name,
      return_login: true,
    };
    const expected = readPlaceRequest(body, undefined);
    const placed = await reseller.post('/orders', body);
    if ('code' in expected) {
      expectRefusal(placed, `422 ${expected.code}`, undefined, JSON.stringify(name));
      return null;
    }
    assert.equal(placed.status, 201, `${JSON.stringify(name)} ${placed.text}`);
    names.set(placed.body.order.customer.id, expected.customerName || customer);
    const entered = await openPage(service.address, 'POST', pathOfLink(placed.body.login_url));
    const page = await openPage(service.address, 'GET', '/customer', { cookie: cookieOf(entered) });
    assert.equal(page.status, 200, page.text);
    return { shown: expected.customerName || customer, page: page.text };
  };
  const names = new Map<string, string>();
  const plain = (await pageOf('of-names', 'PlainName'))?.page ?? never('PlainName');
  assert.ok(plain.includes('<bdi>PlainName</bdi>'));
  let taken = 0;
  await forEvery(naughtyStrings.entries(), async ([index, text]) => {
    const named = await pageOf(`named-${index}`, text);
    if (named === null) return;
    taken += 1;
    assert.equal(
      named.page,
      plain.replace('PlainName', () => escaped(named.shown)),
      JSON.stringify(text),
    );
  });
  assert.ok(taken > naughtyStrings.length / 2, `${taken} are names`);
  await readBack(reseller, '/customers?limit=100', (customer) => {
    const expected = names.get(customer.id);
    if (expected !== undefined) assert.equal(customer.name, expected);
    names.delete(customer.id);
  });
  assert.deepEqual([...names], [], 'each was read');
});

test('naughty strings as idempotency key, in the body and in the header, are that key or invalid', async () => {
  let taken = 0;
  const other = await service.createReseller({ credit: '1000000.00' });
  await forEvery(naughtyStrings, async (text) => {
    const why = JSON.stringify(text);
    const isKey = isIdempotencyKey(text);
    const body = { package_id: service.packages.basic, customer: customerOf(text) };
    const inBody = await reseller.post('/orders', { ...body, idempotency_key: text });
    if (isKey) assert.equal(inBody.body.order?.idempotency_key, text, `${why} ${inBody.text}`);
    else expectRefusal(inBody, '422 invalid_idempotency_key', undefined, why);

    const { sent, answer } = await placeByHeader(
      other,
      { ...body, customer: `h-${customerOf(withoutBlanks(text))}` },
      text,
    );
    const inHeader = withoutBlanks(text);
    if (sent === 'whole' && isIdempotencyKey(inHeader))
      assert.equal(answer?.body.order?.idempotency_key, inHeader, `${why} ${answer?.text}`);
    else if (sent === 'whole')
      expectRefusal(answer ?? never(why), '422 invalid_idempotency_key', undefined, why);
    else if (answer !== undefined && answer.status >= 400) expectSomeRefusal(answer, why);
    if (!isKey) return;
    taken += 1;
    const order = await reseller.get(`/orders/${inBody.body.order.id}`);
    assert.equal(order.body.order.idempotency_key, text, why);
    const replayed = await reseller.post('/orders', { ...body, idempotency_key: text });
    assert.equal(replayed.headers.get('idempotent-replayed'), 'true', why);
    assert.deepEqual(replayed.body, inBody.body, why);
  });
  assert.ok(taken >= 50 / spacing, `${taken} are keys`);
});

test('naughty strings in every text of the administrator’s API come back byte for byte or are refused by their field', async () => {
  const admin = '/api/admin/v1';
  const spare = await service.createReseller();
  const accepted = new Map<string, number>();
  /** The answer must follow exactly from the rule. Returns whether the text was accepted. */
  const settle = (field: string, text: string, answer: Answer, isValid: boolean): boolean => {
    const why = `${field} ${JSON.stringify(text)}`;
    if (isValid) {
      assert.ok(answer.status === 200 || answer.status === 201, `${why} ${answer.text}`);
      accepted.set(field, (accepted.get(field) ?? 0) + 1);
    } else {
      expectRefusal(answer, '422 validation_failed', undefined, why);
      assert.equal(answer.body.error.details.field, field, why);
    }
    return isValid;
  };
  const isShowable = (text: string) => !/\p{Cc}/u.test(text);
  const lengthOf = (text: string) => [...text].length;
  const isFeature = (text: string) => isShowable(text) && text !== '' && lengthOf(text) <= 200;
  const usernames = new Set<string>();
  const memos = new Set<string>();
  const perWorker = new Map<number, { account: TestAccount; packageId: number }>();
  for (let worker = 0; worker < workersMax; worker += 1) {
    const account = await service.createReseller();
    const packageId = await createPackage(service, `of worker ${worker}`, ['1.00', '2.00', '3.00']);
    perWorker.set(worker, { account, packageId });
  }

  await forEvery(naughtyStrings, async (text, worker) => {
    const { account, packageId } = perWorker.get(worker) ?? never('worker');
    const why = JSON.stringify(text);
    const isName = isShowable(text) && lengthOf(text) <= 120;
    // A package change costs most, and some routes refuse everything, so a part of the list is enough.
    const turn = naughtyStrings.indexOf(text);
    const isOneOfFour = turn % 4 === 0;

    const shown = await service.admin.patch(`${admin}/accounts/${account.id}`, { display_name: text });
    if (settle('display_name', text, shown, isName)) {
      assert.equal(shown.body.account.display_name, text, why);
      if (isOneOfFour) {
        const read = await service.admin.get(`${admin}/accounts/${account.id}`);
        assert.equal(read.body.account.display_name, text, why);
      }
    }
    const memo = { amount: '0.01', memo: text, idempotency_key: `of-${customerOf(text)}` };
    const credited = await service.admin.post(`${admin}/accounts/${account.id}/credit`, memo);
    if (settle('memo', text, credited, isShowable(text) && lengthOf(text) <= 500)) memos.add(text);
    if (isOneOfFour) {
      const named = await service.admin.patch(`${admin}/packages/${packageId}`, { name: text });
      if (settle('name', text, named, isName && text.trim() !== '')) {
        const read = await service.admin.get(`${admin}/packages/${packageId}`);
        assert.equal(read.body.package.name, text.trim(), why);
      }
    }
    if (!isFeature(text)) {
      const refused = await service.admin.patch(`${admin}/packages/${packageId}`, { features: ['a', text] });
      settle('features.1', text, refused, false);
    }

    // Each accepted password is hashed, so do not send all at once.
    const isUsername = /^[a-z0-9][a-z0-9._-]{1,62}[a-z0-9]$/.test(text);
    const isNew = !usernames.has(text);
    // Few texts are usernames or amounts. The others are tried as one of the two.
    const isAmount = /^-?\d{1,12}(\.\d{1,2})?$/.test(text) && Number(text) !== 0;
    if (isNew && (isUsername ? usernames.size < 8 : turn % 2 === 0)) {
      if (isUsername) usernames.add(text);
      const made = await service.admin.post(`${admin}/accounts`, { username: text, group: 'reseller' });
      if (settle('username', text, made, isUsername)) assert.equal(made.body.account.username, text);
    }
    if (isAmount || turn % 2 === 1) {
      const amount = await service.admin.post(`${admin}/accounts/${spare.id}/credit`, { amount: text });
      const isTooMuch = amount.body?.error?.code === 'insufficient_credit' && text.startsWith('-');
      if (!isTooMuch) settle('amount', text, amount, isAmount);
    }
    if (!isOneOfFour) return;
    for (const [field, body] of Object.entries({
      group: { group: text },
      'allowed_ips.0': { allowed_ips: [text] },
    })) {
      settle(field, text, await service.admin.patch(`${admin}/accounts/${spare.id}`, body), false);
    }
    const status = await service.admin.patch(`${admin}/customers/1000000001`, { status: text });
    settle('status', text, status, false);
    const code = await service.admin.post(`${admin}/login-codes/exchange`, { code: text });
    const isCodeText = isShowable(text) && lengthOf(text) <= 100;
    expectRefusal(code, isCodeText ? '404 customer_not_found' : '422 validation_failed', undefined, why);
  });
  for (const { account } of perWorker.values()) {
    await readBack(service.admin, `${admin}/accounts/${account.id}/ledger?limit=100`, ({ memo }) =>
      memos.delete(memo),
    );
  }
  assert.deepEqual([...memos], [], 'each was read');
  const atLeast = { display_name: 300, memo: 300, name: 50, username: 3 };
  for (const [field, count] of Object.entries(atLeast)) {
    assert.ok((accepted.get(field) ?? 0) >= count / spacing, `${field}: ${accepted.get(field)} were taken`);
  }

  const features = naughtyStrings.filter(isFeature);
  assert.ok(features.length > 300 / spacing, `${features.length} are features`);
  const { packageId } = perWorker.get(0) ?? never('worker');
  for (let from = 0; from < features.length; from += 100) {
    const some = features.slice(from, from + 100);
    const changed = await service.admin.patch(`${admin}/packages/${packageId}`, { features: some });
    assert.equal(changed.status, 200, changed.text);
    const read = await service.admin.get(`${admin}/packages/${packageId}`);
    assert.deepEqual(read.body.package.features, some);
    const audit = await service.admin.get(`${admin}/audit?limit=1`);
    assert.deepEqual(audit.body.data[0].after.features, some);
  }

  // Any password that is hard to guess and has no control characters is valid. Each is hashed, so a few are enough.
  const unusual = (each: string) => /\P{ASCII}/u.test(each) && !/^(.+)\1+$/su.test(each);
  for (const text of naughtyStrings.filter((each) => lengthOf(each) >= 12 && unusual(each)).slice(0, 12)) {
    const changed = await service.admin.patch(`${admin}/accounts/${spare.id}`, { password: text });
    settle('password', text, changed, isShowable(text) && lengthOf(text) <= 200);
    assert.ok(!changed.text.includes(JSON.stringify(text)), 'a password is never sent back');
  }
});

test('a naughty package stands escaped on its customer’s page', async () => {
  const packageId = await createPackage(service, 'PlainPackage', ['1.00', '2.00', '3.00']);
  const path = `/api/admin/v1/packages/${packageId}`;
  await service.admin.patch(path, { features: ['PlainFeature'] });
  const body = { package_id: packageId, customer: 'of-packages', return_login: true };
  const placed = await reseller.post('/orders', body);
  const entered = await openPage(service.address, 'POST', pathOfLink(placed.body.login_url));
  const headers = { cookie: cookieOf(entered) };
  const plain = (await openPage(service.address, 'GET', '/customer', headers)).text;
  assert.match(
    plain,
    /<title>PlainPackage<\/title>[\s\S]*<bdi>PlainPackage<\/bdi>[\s\S]*>PlainFeature<\/li>/,
  );
  const odd = naughtyStrings.filter(
    (text) => /[<>&"'`$\\{}]/.test(text) && !/\p{Cc}/u.test(text) && text.length <= 120,
  );
  assert.ok(odd.length > 100 / spacing, `${odd.length} could break a page`);
  for (let from = 0; from < odd.length; from += 10) {
    const features = odd.slice(from, from + 10);
    const [name = ''] = features;
    const changed = await service.admin.patch(path, { name, features });
    assert.equal(changed.status, 200, changed.text);
    const { text: page } = await openPage(service.address, 'GET', '/customer', headers);
    const items = features.map((feature) => `<li dir="auto">${escaped(feature)}</li>`).join('');
    const expected = plain
      .replaceAll('PlainPackage', () => escaped(name.trim()))
      .replace('<li dir="auto">PlainFeature</li>', () => items);
    assert.equal(page, expected);
  }
});

test('naughty strings in addresses, queries, keys and cookies lead to no page and no account', async () => {
  const admin = '/api/admin/v1';
  const nowhere = /^404 (not_found|order_not_found|customer_not_found|account_not_found|package_not_found)$/;
  await forEvery(naughtyStrings, async (text) => {
    const why = JSON.stringify(text);
    const part = encodeURIComponent(text);
    const turn = naughtyStrings.indexOf(text);
    const isOneOfFour = turn % 4 === 0;
    const paths: readonly [TestAccount, string][] = [
      [reseller, `/orders/${part}`],
      [reseller, `/${part}`],
      [service.admin, `${admin}/accounts/x${part}`],
      [reseller, `/customers/${part}`],
      [service.admin, `${admin}/packages/x${part}`],
      [service.admin, `${admin}/accounts/${part}/nothing`],
    ];
    // One router reads all paths, so each text goes to two of them, in turn.
    for (const [account, path] of paths.filter((_, place) => place % 3 === turn % 3)) {
      // These dots are removed from the path before it is sent.
      if (/^\.{0,2}$/.test(text)) continue;
      const answer = await account.get(path);
      assert.match(`${answer.status} ${answer.body?.error?.code}`, nowhere, `${path} ${answer.text}`);
      expectSomeRefusal(answer, path);
    }
    const renewed = await reseller.post(`/orders/x${part}/renew`);
    assert.match(`${renewed.status} ${renewed.body?.error?.code}`, nowhere, `renew ${why}`);

    const list = await reseller.get(`/orders?page=${part}&limit=${part}&${part}=${part}`);
    assert.equal(list.status, 200, `${why} ${list.text}`);
    assert.ok(list.body.page >= 1 && list.body.per_page >= 1 && list.body.per_page <= 100, list.text);
    const found = await service.admin.get(`${admin}/accounts?limit=100&q=${part}`);
    assert.equal(found.status, 200, `${why} ${found.text}`);
    for (const { username, display_name } of found.body.data) {
      const holds = `${username}\n${display_name}`
        .toLowerCase()
        .includes(text.replaceAll('\0', '').toLowerCase());
      // PostgreSQL and JavaScript lower-case a few letters differently.
      assert.ok(holds || /[^\p{ASCII}]/u.test(text), `${why} is in ${username} or ${display_name}`);
    }
    if (isOneOfFour) {
      const group = await service.admin.get(`${admin}/accounts?group=${part}`);
      expectRefusal(group, '422 validation_failed', undefined, `group ${why}`);
    }

    if (!/^\.{0,2}$/.test(text)) {
      const page = await openPage(service.address, turn % 4 < 2 ? 'GET' : 'POST', `/login/${part}`);
      assert.equal(page.status, 410, `${why} ${page.text}`);
      assert.ok(!page.text.includes('<script'), why);
    }
    const key = await sendRaw(
      service.address,
      Buffer.from(
        rawRequest([
          'GET /api/v1/balance HTTP/1.1',
          'Host: x',
          `Authorization: Bearer ${text}`,
          `Cookie: sellthrough_customer=${text}`,
        ]),
      ),
    );
    const [refused] = key.answers;
    assert.ok(refused, `${why}: there is an answer`);
    expectSomeRefusal(refused, why);
    assert.ok([400, 401].includes(refused.status), `${why} ${refused.text}`);
  });
});

test('broken requests over bare sockets get the envelope or a closed connection, and disturb no other client', async () => {
  const account = await service.createReseller({ credit: '10.00' });
  const before = await booksOf(service, account);
  const requests = Object.entries({ ...httpRequests, ...longRequests() }).flatMap(([name, text]) => {
    const aims = {
      'as it is': text,
      'with a key': aimedAt('/api/v1/orders', text, `Authorization: Bearer ${account.key}\r\n`),
      'to a page': aimedAt(`/login/${'a'.repeat(43)}`, text, ''),
    };
    return Object.entries(aims)
      .filter(([how, aimed]) => how === 'as it is' || aimed !== text)
      .map(([how, aimed]) => [`${name}, ${how}`, aimed]);
  });
  let answered = 0;
  await forEvery(
    requests,
    async ([name = '', text = '']) => {
      const { answers } = await sendRaw(service.address, Buffer.from(text, 'latin1'), {
        head: /^\s*HEAD/.test(text),
      });
      const honest = await account.get('/balance');
      assert.equal(honest.status, 200, `after ${name}: ${honest.text}`);
      for (const answer of answers) {
        if (answer.status < 200) continue;
        answered += 1;
        const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true;
        if (answer.status >= 400 && !isPage && !/^\s*HEAD/.test(text)) expectSomeRefusal(answer, name);
        assert.ok(answer.status < 500, `${name}: ${answer.text}`);
        assert.ok(answer.headers.get('x-request-id'), `${name}: X-Request-Id`);
        if (isPage) assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      }
    },
    // These requests wait for their time limit.
    200,
  );
  assert.ok(answered > requests.length / 2, `${answered} of ${requests.length} were answered`);
  assert.deepEqual(await booksOf(service, account), before);
});

test('field values of every type as Idempotency-Key are that key without blanks around it, or invalid', async () => {
  const account = await service.createReseller({ credit: '1000000.00' });
  let taken = 0;
  await forEvery(fieldValues, async ([name, value]) => {
    const key = withoutBlanks(value);
    const customer = `f-${customerOf(key)}`;
    const bytes = Buffer.from(value, 'latin1');
    const { sent, answer } = await placeByHeader(
      account,
      { package_id: service.packages.basic, customer },
      bytes,
    );
    if (sent === 'broken') {
      if (answer !== undefined && answer.status >= 400) expectSomeRefusal(answer, name);
    } else if (isIdempotencyKey(key)) {
      taken += 1;
      assert.equal(answer?.body.order?.idempotency_key, key, `${name} ${answer?.text}`);
    } else expectRefusal(answer ?? never(name), '422 invalid_idempotency_key', undefined, name);
  });
  assert.ok(taken > 100 / spacing, `${taken} are keys`);
});

test('after all of it the service is whole: no failure was counted and no memory kept', async () => {
  const metrics = await (await fetch(`${service.address}/metrics`)).text();
  const failures = metrics
    .split('\n')
    .filter((line) => /status="5|internal_error|service_unavailable/.test(line));
  assert.deepEqual(failures, []);
  const ready = await fetch(`${service.address}/readyz`);
  assert.equal(ready.status, 200, await ready.text());
  const verified = await service.admin.get('/api/admin/v1/verify');
  assert.equal(verified.body.ok, true, verified.text);
  const grown = (heapBytes() - heapBefore) / 1e6;
  assert.ok(grown < 40, `the heap has grown by ${grown.toFixed(1)} MB`);
});

const workersMax = 12;

async function forEvery<Item>(
  items: Iterable<Item>,
  work: (item: Item, worker: number) => Promise<unknown>,
  workers = workersMax,
): Promise<void> {
  const queue = [...items];
  const hand = async (_: unknown, worker: number) => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item, worker);
  };
  await Promise.all(Array.from({ length: workers }, hand));
}

async function readBack(
  account: TestAccount,
  path: string,
  look: (item: Record<'id' | 'name' | 'memo', string>) => void,
): Promise<void> {
  for (let page = 1, isMore = true; isMore; page += 1) {
    const { status, text, body } = await account.get(`${path}&page=${page}`);
    assert.equal(status, 200, text);
    body.data.forEach(look);
    isMore = page * body.per_page < body.total;
  }
}

async function sendBytes(
  method: string,
  path: string,
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  const answer = await sendRequest(service.address + path, {
    method,
    body: bytes,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  return { ...answer, body: JSON.parse(answer.text) };
}

/** Sends header bytes that no client sends. "broken": the bytes are no header at all, or too long. */
async function placeByHeader(
  account: TestAccount,
  body: object,
  key: string | Buffer,
): Promise<{ sent: 'whole' | 'broken'; answer: Answer | undefined }> {
  const bytes = Buffer.from(key);
  const text = JSON.stringify(body);
  const lines = [
    'POST /api/v1/orders HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${account.key}`,
    `Content-Length: ${text.length}`,
    'Idempotency-Key: ',
  ];
  const request = Buffer.concat([Buffer.from(lines.join('\r\n')), bytes, Buffer.from(`\r\n\r\n${text}`)]);
  const { answers } = await sendRaw(service.address, request);
  const isBroken =
    bytes.length > 8_000 || bytes.some((byte) => (byte < 0x20 && byte !== 0x09) || byte === 0x7f);
  return { sent: isBroken ? 'broken' : 'whole', answer: answers[0] };
}

function aimedAt(path: string, text: string, more: string): string {
  return text.replace(
    /^(\s*[^\s\0]+ )\S+( HTTP\/\d\.\d\r\n)/,
    (_, method, version) => `${method}${path}${version}${more}`,
  );
}

function corpusPath(name: string): string {
  return join(import.meta.dirname, `../corpora/${name}.json`);
}

function readCorpus(name: string): Readonly<Record<string, string>> {
  const more = join(process.env['TEST_CORPORA'] ?? '', `${name}.json`);
  const read = (path: string): Record<string, string> => JSON.parse(readFileSync(path, 'utf8'));
  return {
    ...read(corpusPath(name)),
    ...(process.env['TEST_CORPORA'] !== undefined && existsSync(more) ? read(more) : {}),
  };
}

function longTexts(): Record<string, string> {
  const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  return {
    'n_100,000 brackets opened': '['.repeat(100_000),
    'n_60,000 brackets opened': '['.repeat(60_000),
    'n_10,000 objects opened': '{"a":'.repeat(10_000),
    'y_32,000 arrays deep': `{"a":${nested('[', ']', 32_000)}}`,
    'y_10,000 objects deep': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    'y_9,000 members': `{${Array.from({ length: 6_000 }, (_, index) => `"m${index}":0`).join()}}`,
    'y_65,536 bytes': `{"a":"${'x'.repeat(65_536 - 8)}"}`,
    'y_65,537 bytes': `{"a":"${'x'.repeat(65_537 - 8)}"}`,
    'y_64 kB of spaces': `${' '.repeat(65_500)}{}`,
    'y_60,000 digits': `{"a":${'9'.repeat(60_000)}}`,
  };
}

function longRequests(): Record<string, string> {
  const head = 'GET / HTTP/1.1\r\nHost: x\r\n';
  return {
    'long: 1,990 headers': `${head}${'A: b\r\n'.repeat(1_990)}\r\n`,
    'long: 10,000 headers': `${head}${'A: b\r\n'.repeat(10_000)}\r\n`,
    'long: a value of 8 kB': `${head}A: ${'v'.repeat(8_000)}\r\n\r\n`,
    'long: a value of 20 kB': `${head}A: ${'v'.repeat(20_000)}\r\n\r\n`,
    'long: a line of 20 kB': `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'long: a query of 15 kB': `GET /?${'a=b&'.repeat(3_750)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'long: an id of 2 kB': `GET /api/v1/orders/${'7'.repeat(2_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'long: a method of 20 kB': `${'M'.repeat(20_000)} / HTTP/1.1\r\nHost: x\r\n\r\n`,
    'long: 200 requests in one': `${head}\r\n`.repeat(200),
    'long: 100 kB of nonsense': '\x07\xff'.repeat(50_000),
    'long: a body of 70 kB': `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`,
    'long: 20,000 chunks': `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(20_000)}0\r\n\r\n`,
    'long: an extension of 70 kB': `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;${'e'.repeat(70_000)}\r\n{}\r\n0\r\n\r\n`,
  };
}

function readsAsObject(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    );
    return Object.prototype.toString.call(value) === '[object Object]';
  } catch {
    return false;
  }
}

function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,80}$/.test(text);
}

function withoutBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

function customerOf(text: string): string {
  return `of-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function never(why: string): never {
  assert.fail(`${why}: there is no answer`);
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
