// A fuzzer that knows the service only by openapi.json. It sends valid and invalid requests for every operation and checks
// every answer against the document. A seed repeats a run.
// Invariant: it never breaks what it needs to continue.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Compile } from 'typebox/schema';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { rfReference } from '../../src/features/payments/bank/rf-reference.ts';
import { keepProblem } from '../../src/features/payments/payment-problems.ts';
import { operator } from '../../src/features/webhooks/webhook-table.ts';
import { documentedErrors } from '../../src/platform/http/openapi-errors.ts';
import type { Outbound } from '../../src/platform/outbound/outbound.ts';
import { createRandom, type Random } from '../../src/setup/demo-year/seeded-random.ts';
import { errorCatalog } from '../../src/shared/error-catalog.ts';
import { openPage, pathOfLink } from '../../test/harness/browser-request.ts';
import { pngFile } from '../../test/harness/logo-files.ts';

export interface FuzzReport {
  readonly requests: number;
  readonly answers: ReadonlyMap<string, number>;
  readonly operations: readonly string[];
  readonly blind: readonly string[];
}

export const otherServers: Outbound = {
  send: async () => ({ type: 'answered', status: 200, answer: 'ok', milliseconds: 1 }),
  problemOf: async (url) => (url.startsWith('https://') ? null : 'must be an https address'),
  close: async () => undefined,
};

export function startFuzzedService(): Promise<TestService> {
  return startTestService({
    environment: { PRODUCT_URL: 'https://product.example/welcome' },
    outbound: otherServers,
    limits: { rates: { failuresPerMinute: 1_000_000, refusalsPerMinute: 1_000_000 } },
  });
}

export async function fuzz(
  service: TestService,
  seed: number,
  until: (report: FuzzReport) => boolean,
): Promise<FuzzReport> {
  const random = createRandom(seed);
  const operations = withSiblings(readOperations((await service.admin.get('/openapi.json')).body));
  const world = await createWorld(service, random);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers = new Map<string, number>();
  const ids = operations.map(({ id }) => id);
  const blind = new Set(ids);
  const report = (): FuzzReport => ({ requests, answers, operations: ids, blind: [...blind] });
  let requests = 0;
  try {
    while (!until(report())) {
      const operation = pickOperation(operations, blind, random);
      const request = drawRequest(operation, operations, world, random);
      requests += 1;
      let answer: RawAnswer | null = null;
      try {
        answer = await send(service.address, agent, request);
        if (answer === null) continue;
        const outcome = checkAnswer(operation, request, answer);
        const label = `${operation.id} ${outcome}`;
        answers.set(label, (answers.get(label) ?? 0) + 1);
        if (answer.status < 300) blind.delete(operation.id);
        await learn(world, request, answer.body, service.address);
      } catch (error) {
        throw new Error(describeFailure(seed, requests, request, answer, error), { cause: error });
      }
    }
  } finally {
    agent.destroy();
  }
  assert.equal(Object.keys(Object.prototype).length, 0, 'nothing was added to the prototype of objects');
  return report();
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface DocumentedAnswer {
  readonly codes: readonly string[];
  problem(body: unknown): string | null;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly methods: readonly string[];
  readonly hasIdempotencyHeader: boolean;
  readonly query: readonly string[];
  readonly body: Schema | null;
  readonly answers: ReadonlyMap<number, DocumentedAnswer>;
}

interface OpenapiOperation {
  readonly operationId: string;
  readonly parameters?: readonly { in: string; name: string }[];
  readonly requestBody?: { content: { 'application/json': { schema: Schema } } };
  readonly responses: Readonly<Record<string, OpenapiAnswer>>;
}

interface OpenapiAnswer {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: { readonly 'application/json': { readonly schema: Schema } };
}

interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, OpenapiAnswer>>;
  };
}

/** GET /orders/preview also matches GET /orders/{id}, with an unknown order. So its path takes the methods of both. */
export function withSiblings(operations: readonly Operation[]): readonly Operation[] {
  return operations.map((operation) => {
    const sibling = operations.find(({ path }) => path === operation.path.replace(/\/[a-z-]+$/, '/{id}'));
    if (sibling === undefined || operation.path.includes('{id}')) return operation;
    return { ...operation, methods: [...new Set([...sibling.methods, ...operation.methods])] };
  });
}

export function readOperations(document: OpenapiDocument): readonly Operation[] {
  const { paths, components } = document;
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const ref = '$ref' in value && typeof value.$ref === 'string' ? value.$ref : null;
    if (ref !== null) return resolve(components.schemas[ref.replace('#/components/schemas/', '')]);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
  };
  const methodsAt = (path: string) =>
    Object.entries(paths)
      .filter(([other]) => new RegExp(`^${other.replace('{id}', '[^/]+')}$`).test(path))
      .flatMap(([, ofPath]) => Object.keys(ofPath).map((each) => each.toUpperCase()))
      .sort();
  return Object.entries(paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath).map(([method, operation]): Operation => {
      const errors = documentedErrors(operation, document);
      const answers = Object.entries(operation.responses).map(([status, answer]) => {
        const shared = components.responses[answer.$ref?.replace('#/components/responses/', '') ?? ''];
        const { content } = shared ?? answer;
        const codes = errors.filter((error) => error.status === Number(status)).map(({ code }) => code);
        if (content === undefined) return [Number(status), { codes, problem: () => null }] as const;
        const validator = Compile(resolve(content['application/json'].schema) as object);
        const problem = (body: unknown) => {
          if (validator.Check(body)) return null;
          const [, [first]] = validator.Errors(body);
          return `${first?.instancePath} ${first?.message}`;
        };
        return [Number(status), { codes, problem }] as const;
      });
      const named = (place: string) =>
        (operation.parameters ?? []).filter((each) => each.in === place).map(({ name }) => name);
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        methods: methodsAt(path),
        hasIdempotencyHeader: named('header').includes('idempotency-key'),
        query: named('query'),
        body: resolve(operation.requestBody?.content['application/json'].schema ?? null) as Schema | null,
        answers: new Map(answers),
      };
    }),
  );
}

/** Drawn less often: some cost a password hash, verify grows with the run, and without a product most calls are refused. */
const rareOperations = [
  'createAccount',
  'resetApiKey',
  'createPackage',
  'verify',
  'removeProduct',
  'closeAccount',
];

/** Of an operation, the one that must succeed shortly before. */
const enablers: Readonly<Record<string, string>> = {
  sendProductCallAgain: 'setProduct',
  sendAllProductCallsAgain: 'setProduct',
  unschedulePrices: 'schedulePrices',
  deleteAccountPrices: 'setAccountPrices',
  removePerson: 'invitePerson',
  changeAccountKey: 'createAccountKey',
  rotateAccountKey: 'createAccountKey',
  assignBankLine: 'importBankStatement',
  ignoreBankLine: 'listBankLines',
  refundTopup: 'importBankStatement',
};

function pickOperation(
  operations: readonly Operation[],
  blind: ReadonlySet<string>,
  random: Random,
): Operation {
  if (blind.size > 0 && random.below(3) === 0) {
    const drawn = random.pick(operations.filter(({ id }) => blind.has(id)));
    const enabler = random.below(2) === 0 ? enablers[drawn.id] : undefined;
    return operations.find(({ id }) => id === enabler) ?? drawn;
  }
  const operation = random.pick(operations);
  const ordering = operations.filter(({ id }) => ['placeOrder', 'renewOrder', 'previewOrder'].includes(id));
  if (random.below(4) === 0) return random.pick(ordering);
  return rareOperations.includes(operation.id) && random.below(6) > 0 ? random.pick(operations) : operation;
}

interface OwnedThing {
  readonly accountId: number;
  readonly id: number;
}

interface World {
  readonly admin: TestAccount;
  readonly resellers: readonly TestAccount[];
  readonly victims: { id: number; key: string }[];
  readonly orderable: readonly number[];
  readonly changeable: number[];
  readonly unorderable: readonly number[];
  readonly trial: number;
  readonly orders: number[];
  readonly waiting: readonly number[];
  readonly customers: number[];
  readonly events: number[];
  readonly references: string[];
  /** Two of each reseller and those of the operator. They are never deleted. */
  readonly lastingWebhooks: readonly OwnedWebhook[];
  readonly webhooks: OwnedWebhook[];
  readonly people: OwnedThing[];
  readonly keys: OwnedThing[];
  readonly priceLists: OwnedThing[];
  readonly testKey: string;
  readonly codes: string[];
  /** Of the resellers, by transfer. */
  readonly topups: number[];
  readonly paidTopups: number[];
  readonly unmatchedLines: number[];
  readonly problems: readonly number[];
  readonly debtor: number;
  bankLines: number;
  customerNames: number;
}

interface OwnedWebhook {
  readonly id: number;
  readonly ownerId: number;
}

const remembered = 400;
/** How many of an owner's newest webhooks are kept. An owner may have ten. */
const webhooksRemembered = 4;

async function leaveOrdersPending(
  admin: TestAccount,
  resellers: readonly TestAccount[],
  packageId: number,
): Promise<number[]> {
  const product = { mode: 'confirm', url: 'https://product.example.com', secret: `whsec_${'A'.repeat(32)}` };
  assert.equal((await admin.send('PUT', '/api/admin/v1/product', product)).status, 200);
  const orders: number[] = [];
  for (const reseller of resellers) {
    for (let count = 0; count < 5; count += 1) {
      const customer = `waiting-${reseller.id}-${count}`;
      const placed = await reseller.post('/orders', { package_id: packageId, customer });
      assert.equal(placed.body?.order?.status, 'pending', placed.text);
      orders.push(placed.body.order.id);
    }
  }
  assert.equal((await admin.send('DELETE', '/api/admin/v1/product')).status, 200);
  return orders;
}

async function createWebhooks(
  admin: TestAccount,
  resellers: readonly TestAccount[],
): Promise<OwnedWebhook[]> {
  const webhooks: OwnedWebhook[] = [];
  const owners = [
    { ownerId: operator, client: admin, path: '/api/admin/v1/webhooks' },
    ...resellers.map((reseller) => ({ ownerId: reseller.id, client: reseller, path: '/webhooks' })),
  ];
  for (const { ownerId, client, path } of owners) {
    for (const types of [['plan.suspended'], []]) {
      const made = await client.post(path, { url: 'https://shop.example.com/', types });
      assert.equal(made.status, 201, made.text);
      webhooks.push({ id: made.body.webhook.id, ownerId });
    }
  }
  return webhooks;
}

async function createWorld(service: TestService, random: Random): Promise<World> {
  const { packages, admin } = service;
  const resellers: TestAccount[] = [];
  for (const group of ['reseller', 'distributor', 'reseller'] as const) {
    resellers.push(await service.createReseller({ group, credit: '90000000.00' }));
  }
  const victims = [];
  for (let count = 0; count < 3; count += 1) victims.push(await service.createReseller({ credit: '50.00' }));
  const waiting = await leaveOrdersPending(admin, resellers, packages.basic);
  const made = await admin.post('/api/admin/v1/packages', {
    name: 'Changeable',
    limits: { accounts: 1, posts_per_day: 1, ai_images_per_month: random.below(9) },
    prices: {
      reseller: { monthly: '1.00', quarterly: '2.00', yearly: '3.00' },
      distributor: { monthly: '1.00', quarterly: '2.00', yearly: '3.00' },
    },
  });
  return {
    admin,
    resellers,
    victims: victims.map(({ id, key }) => ({ id, key })),
    orderable: [packages.basic, packages.plus],
    changeable: [made.body.package.id],
    unorderable: [packages.retired, packages.trial],
    trial: packages.trial,
    orders: [],
    waiting,
    customers: [],
    events: [],
    references: [],
    lastingWebhooks: await createWebhooks(admin, resellers),
    webhooks: [],
    people: [],
    keys: [],
    priceLists: [],
    testKey: await makeTestKey(admin, (await service.createReseller()).id),
    codes: [],
    topups: [],
    paidTopups: [],
    unmatchedLines: [],
    problems: await leaveProblems(service),
    debtor: await createDebtor(service),
    bankLines: 0,
    customerNames: 1,
  };
}

const payments = {
  methods: { bank_transfer: { enabled: true, holder: 'Fuzz', iban: 'DE89370400440532013000' } },
  minimum: '1.00',
  maximum: '100000.00',
};

/** An account that paid 40.00, spent 35.00 and was refunded: it owes 35.00. */
async function createDebtor({ admin, createReseller }: TestService): Promise<number> {
  assert.equal((await admin.send('PUT', '/api/admin/v1/payments', payments)).status, 200);
  const { id } = await createReseller();
  const sent = async (path: string, body: object) => {
    const answer = await admin.post(`/api/admin/v1${path}`, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  await sent('/bank-statements', statementOf('40.00', rfReference(id), 0));
  await sent(`/accounts/${id}/credit`, { amount: '-35.00', memo: 'Spent' });
  const { data } = (await admin.get(`/api/admin/v1/topups?account_id=${id}`)).body;
  await sent(`/topups/${data[0].topup.id}/refunds`, { amount: '40.00', allow_receivable: true });
  return id;
}

async function leaveProblems({ database, admin }: TestService): Promise<number[]> {
  for (let number = 1; number <= 8; number += 1)
    await keepProblem(database, {
      ...{ objectRef: `stripe:pi_${number}`, accountId: 1, topupNumber: number, reason: 'unknown_topup' },
      ...{ amountCents: 100n, currency: 'USD', createdAt: 1_768_478_400 },
    });
  const { data } = (await admin.get('/api/admin/v1/payment-problems')).body;
  return data.map(({ id }: { id: number }) => id);
}

function statementOf(amount: string, text: string, line: number) {
  const csv = `Day;Amount;Text\n2026-01-14;${amount};${text} ${line}\n`;
  return {
    file: Buffer.from(csv).toString('base64'),
    csv: { columns: { date: 'Day', amount: 'Amount', text: 'Text' }, delimiter: ';' },
  };
}

async function makeTestKey(admin: TestAccount, accountId: number): Promise<string> {
  const made = await admin.post(`/api/admin/v1/accounts/${accountId}/keys`, { name: 'Tests', test: true });
  assert.equal(made.status, 201, made.text);
  return made.body.api_key;
}

async function learn(
  world: World,
  request: FuzzRequest,
  body: RawAnswer['body'],
  address: string,
): Promise<void> {
  const { operation, path } = request;
  const keep = (list: number[], id: unknown) => {
    if (typeof id !== 'number') return;
    if (list.length < remembered) list.push(id);
    else list[id % remembered] = id;
  };
  keep(world.orders, body?.order?.id);
  for (const { order } of body?.results ?? []) keep(world.orders, order?.id);
  keep(world.customers, body?.order?.customer?.id ?? body?.customer?.id);
  const reference = body?.order?.customer?.reference;
  if (typeof reference === 'string' && world.references.length < remembered) world.references.push(reference);
  learnOfWebhooks(world, request, body);
  learnOfPayments(world, body);
  const accountId = Number(/accounts\/(\d+)\//.exec(path)?.[1]);
  if (operation === 'invitePerson' && typeof body?.person?.id === 'number') {
    world.people.push({ accountId, id: body.person.id });
  }
  if (operation === 'removePerson' && body?.error === undefined) {
    const removed = world.people.findIndex(({ id }) => path.endsWith(`/${id}`));
    if (removed >= 0) world.people.splice(removed, 1);
  }
  if (operation === 'createAccountKey' && typeof body?.key?.id === 'number') {
    world.keys.push({ accountId, id: body.key.id });
  }
  if (body?.price_list?.begun === false) {
    const { id } = body.price_list;
    const { priceLists } = world;
    const at = priceLists.findIndex((list) => list.id === id);
    if (at >= 0) priceLists.splice(at, 1);
    if (operation === 'setAccountPrices') priceLists.push({ accountId, id });
  }
  if (/^read\w*Events$/.test(operation)) for (const { id } of body?.data ?? []) keep(world.events, id);
  if (operation === 'createPackage' && world.changeable.length < 8) keep(world.changeable, body?.package?.id);
  // The code is spent now, or its customer is suspended.
  if (operation.startsWith('exchange') && (body?.customer || body?.error?.code === 'customer_not_found')) {
    const sent = request.body?.toString() ?? '';
    world.codes.splice(0, world.codes.length, ...world.codes.filter((code) => !sent.includes(code)));
  }
  if (typeof body?.login_url === 'string' && world.codes.length < 5) {
    const { status, headers } = await openPage(address, 'POST', pathOfLink(body.login_url));
    const code = new URL(headers.get('location') ?? '', address).searchParams.get('code');
    assert.ok(code !== null || status === 403, 'a login link leads to the product with a code');
    if (code !== null) world.codes.push(code);
  }
  if (typeof body?.api_key !== 'string') return;
  const id = body.account?.id ?? Number(/accounts\/(\d+)\//.exec(path)?.[1]);
  const known = world.victims.find((victim) => victim.id === id);
  if (known !== undefined) known.key = body.api_key;
  else if (world.victims.length < 12) world.victims.push({ id, key: body.api_key });
}

function learnOfWebhooks(
  { webhooks, resellers }: World,
  { operation, path, headers }: FuzzRequest,
  body: RawAnswer['body'],
): void {
  const forget = (id: number | undefined) => {
    const at = webhooks.findIndex((each) => each.id === id);
    if (at >= 0) webhooks.splice(at, 1);
  };
  if (body?.deleted === true) forget(Number(/webhooks\/(\d+)/.exec(path)?.[1]));
  if (!/^create\w*Webhook$/.test(operation) || typeof body?.webhook?.id !== 'number') return;
  const asked = resellers.find(({ key }) => headers['authorization'] === `Bearer ${key}`);
  const ownerId = operation === 'createOperatorWebhook' ? operator : asked?.id;
  if (ownerId === undefined) return;
  // A repeated idempotency key returns the same object.
  forget(body.webhook.id);
  webhooks.push({ id: body.webhook.id, ownerId });
  const theirs = webhooks.filter((each) => each.ownerId === ownerId);
  if (theirs.length > webhooksRemembered) forget(theirs[0]?.id);
}

function learnOfPayments(world: World, body: RawAnswer['body']): void {
  const { resellers, topups, paidTopups, unmatchedLines } = world;
  const isOfReseller = (id: number) => resellers.some((each) => each.id === accountOfId(id));
  for (const each of [body, ...(Array.isArray(body?.data) ? body.data : [])]) {
    const id = each?.topup?.id;
    if (typeof id !== 'number' || !isOfReseller(id)) continue;
    const list = each.topup.status === 'open' ? topups : paidTopups;
    if (!list.includes(id)) list.push(id);
  }
  for (const line of Array.isArray(body?.data) ? body.data : []) {
    if (line?.booked_on === undefined || unmatchedLines.includes(line.id)) continue;
    if (line.status === 'unmatched') unmatchedLines.push(line.id);
  }
}

export interface FuzzRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string | string[]>;
  readonly body: Buffer | null;
  readonly isElsewhere: boolean;
}

function drawRequest(
  operation: Operation,
  operations: readonly Operation[],
  world: World,
  random: Random,
): FuzzRequest {
  const oneIn = (count: number) => random.below(count) === 0;
  const isElsewhere = oneIn(40);
  const method = isElsewhere ? oddMethod(operation, random) : operation.method;
  const path = fillPath(operation, world, random) + drawQuery(operation, random);
  const ownerId = ownerOfPath(path, world);
  const owner = random.below(4) > 0 ? world.resellers.find((each) => each.id === ownerId) : undefined;
  const headers: Record<string, string | string[]> = {
    host: 'fuzz',
    ...drawKey(operation, world, random, owner),
  };
  const knownValue = (name: string) => drawKnown(name, operation, world, random);
  let text: string | null = null;
  if (operation.body !== null) {
    const drawn = drawValue(operation.body, '', knownValue, random);
    for (let count = random.pick([0, 0, 1, 1, 1, 2, 3]); count > 0; count -= 1) spoil(drawn, random);
    text = oneIn(14) ? spoilText(write(drawn), random) : write(drawn);
  } else if (operation.method !== 'GET' && oneIn(3)) {
    const other = random.pick(operations).body;
    if (oneIn(2)) text = 'x'.repeat(70_000);
    else if (other === null) text = random.pick(oddTexts);
    else text = write(drawValue(other, '', knownValue, random));
  } else if (oneIn(12)) text = random.pick(['{}', '{', 'x'.repeat(70_000)]);
  // Keys that differ between header and body are refused, so a second one is rare.
  const hasKeyInBody = text?.includes('idempotency_key') === true;
  if (operation.hasIdempotencyHeader && oneIn(hasKeyInBody ? 8 : 2)) {
    headers['idempotency-key'] = `k-${random.below(400)}`;
  }
  if (oneIn(8)) Object.assign(headers, random.pick(oddHeaders));
  const body = text === null ? null : Buffer.from(text, oneIn(30) ? 'utf16le' : 'utf8');
  return { operation: operation.id, method, path, headers, body, isElsewhere };
}

function ownerOfPath(path: string, { lastingWebhooks, webhooks }: World): number | undefined {
  const id = Number(/\/(\d+)/.exec(path.slice('/api/v1'.length))?.[1]);
  if (path.includes('/webhooks/')) {
    return [...lastingWebhooks, ...webhooks].find((each) => each.id === id)?.ownerId;
  }
  return accountOfId(id);
}

const accountOfId = (id: number) => Math.floor(id / 1e9);

export function oddMethod(operation: Operation, random: Random): string {
  const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];
  return random.pick(others.filter((each) => !operation.methods.includes(each)));
}

function drawKey(
  { path }: Operation,
  world: World,
  random: Random,
  owner: TestAccount | undefined,
): Record<string, string> {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const chance = random.below(40);
  if (chance === 0) return {};
  if (chance === 1)
    return { authorization: random.pick(['Bearer', 'Basic YTpi', 'bearer  x', 'Bearer sk_live_x', '']) };
  if (chance < 5) return bearer(random.pick(world.victims).key);
  // The product's API takes a key of the operator, too.
  const isAdmin = /^\/api\/(?:admin|product)\//.test(path);
  if (path.includes('/test/') && chance > 5) return bearer(world.testKey);
  if (path.includes('/auto-topup') && chance > 9) return bearer(world.testKey);
  if (isAdmin && chance > 5) return bearer(world.admin.key);
  return bearer((owner ?? random.pick(chance === 6 ? [world.admin] : world.resellers)).key);
}

export const oddHeaders: readonly Record<string, string | string[]>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': '' },
  { 'content-type': 'application/json; charset=utf-7; charset=x' },
  { 'content-type': 'multipart/form-data; boundary=' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'Identity' },
  { accept: 'application/xml' },
  { 'accept-encoding': 'br, *;q=0' },
  { expect: 'nothing' },
  { 'x-request-id': 'mine-1' },
  { 'x-request-id': '<script>' },
  { 'x-request-id': ['a', 'b'] },
  { 'idempotency-key': ['a', 'b'] },
  { 'idempotency-key': '' },
  { 'idempotency-key': ' a b ' },
  { 'idempotency-key': 'x'.repeat(81) },
  { 'idempotency-key': '"quoted"' },
  { 'idempotency-key': 'cl\u00e9' },
  { 'x-forwarded-for': '203.0.113.9' },
  { 'x-http-method-override': 'DELETE' },
  { cookie: 'a=b; sellthrough_customer=c' },
  { te: 'trailers' },
  { 'if-none-match': '*' },
  { range: 'bytes=0-1' },
  { __proto__x: 'a', constructor: 'b' },
  { 'x-long': 'v'.repeat(6_000) },
  { authorization: ['Bearer a', 'Bearer b'] },
];

export const oddIds: readonly string[] = [
  ...'0 -7 007 7.0 7e0 +7 abc %00 %20 %FF %zz % a%2Fb ..%2F.. __proto__ constructor null NaN {id} *'.split(
    ' ',
  ),
  ...'2147483647 2147483648 9007199254740991 9007199254740993 99999999999999999999999'.split(' '),
  ...["';--", '%F0%9F%A6%8A', '%E2%80%AE', '%41'.repeat(300)],
  ...[400, 600, 6_000].map((length) => '7'.repeat(length)),
];

const limitKeys = ['seats', 'storage_gb', 'sso', 'accounts', 'constructor', 'x'.repeat(40)];

function fillPath({ id, path, method }: Operation, world: World, random: Random): string {
  if (path.includes('{month}')) {
    return path.replace('{month}', random.below(4) === 0 ? random.pick(oddIds) : '2026-01');
  }
  if (path.includes('{reference}')) {
    const isOdd = world.references.length === 0 || random.below(8) === 0;
    const reference = isOdd ? random.pick(oddIds) : encodeURIComponent(random.pick(world.references));
    return path.replace('{reference}', () => reference);
  }
  if (path.includes('/limits/{key}')) {
    const key = random.below(6) === 0 ? random.pick(oddIds) : random.pick(limitKeys);
    return path.replace('{key}', () => key);
  }
  if (!path.includes('{id}')) return path;
  if (path.includes('/webhooks/')) return fillWebhookPath(path, method, world, random);
  if (path.includes('{person_id}')) {
    // The first person is never removed, because few invitations succeed.
    const people = id === 'removePerson' ? world.people.slice(1) : world.people;
    return fillOwnedPath(path, 'person_id', people, random);
  }
  if (path.includes('{list_id}')) return fillOwnedPath(path, 'list_id', world.priceLists, random);
  if (path.includes('{key_id}')) return fillOwnedPath(path, 'key_id', world.keys, random);
  const known = (ids: readonly number[]) => (ids.length === 0 ? '1' : String(random.pick(ids)));
  const victims = world.victims.map((victim) => victim.id);
  const changes = method !== 'GET' && !['creditAccount', 'grantTrial'].includes(id);
  // Some calls stay, so that there is one to send again.
  const unsettled = world.waiting.slice(0, 5);
  const settled = world.waiting.slice(5);
  let drawn: string;
  if (random.below(8) === 0) drawn = random.pick(oddIds);
  else if (id === 'failOrder' && random.below(2) === 0) drawn = known(settled);
  else if (path.includes('/product-calls/'))
    drawn = `call_order_${known(id === 'closeProductCall' ? settled : unsettled)}`;
  else if (path.includes('/bank-lines/')) drawn = known(world.unmatchedLines.slice(-6));
  else if (path.includes('/payment-problems/')) drawn = known(world.problems);
  else if (id === 'refundTopup') drawn = known(world.paidTopups);
  else if (path.includes('/topups/')) drawn = known([...world.topups.slice(-6), ...world.paidTopups]);
  else if (id === 'writeOffReceivable') drawn = String(world.debtor);
  else if (path.includes('/events/')) drawn = known(world.events);
  else if (path.includes('/orders/')) drawn = known(world.orders);
  else if (path.includes('/customers/')) drawn = known(world.customers);
  else if (path.includes('/packages/')) drawn = known(changes ? world.changeable : world.orderable);
  else if (changes) drawn = known(victims);
  else drawn = known([world.admin.id, ...world.resellers.map((each) => each.id), ...victims]);
  return path.replace('{id}', () => drawn);
}

function fillOwnedPath(path: string, inner: string, all: readonly OwnedThing[], random: Random): string {
  // Picks among the newest, because earlier ones are mostly deleted.
  const one = all.length === 0 || random.below(8) === 0 ? undefined : random.pick(all.slice(-6));
  return path
    .replace('{id}', () => String(one?.accountId ?? random.pick(oddIds)))
    .replace(`{${inner}}`, () => String(one?.id ?? random.pick(oddIds)));
}

function fillWebhookPath(
  path: string,
  method: string,
  { lastingWebhooks, webhooks, events }: World,
  random: Random,
): string {
  const isOperators = path.startsWith('/api/admin/');
  const known = [...(method === 'DELETE' ? [] : lastingWebhooks), ...webhooks].filter(
    ({ ownerId }) => (ownerId === operator) === isOperators,
  );
  const webhook = known.length === 0 || random.below(8) === 0 ? undefined : random.pick(known);
  const received = events.filter((event) => isOperators || accountOfId(event) === webhook?.ownerId);
  const event =
    received.length === 0 || random.below(8) === 0 ? random.pick(oddIds) : String(random.pick(received));
  return path
    .replace('{id}', () => String(webhook?.id ?? random.pick(oddIds)))
    .replace('{event_id}', () => event);
}

const oddQueryValues: readonly string[] = [
  ...'0 -1 1.5 1e3 +2 %2B2 007 NaN Infinity 9007199254740993 null true [] _'.split(' '),
  ...'%00 %FF %zz %ED%A0%80 a%20b %25 %F0%9F%A6%8A'.split(' '),
  ...'reseller distributor RESELLER admin'.split(' '),
  ...['', '9'.repeat(40), 'x'.repeat(3_000)],
];

/** Start times of scheduled prices. The first is in the past. */
const seconds = ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z'] as const;

export function drawQuery({ query }: Operation, random: Random): string {
  if (random.below(query.length > 0 ? 2 : 12) === 0) return '';
  const names = [
    ...query,
    ...query,
    ...query,
    '__proto__',
    'constructor',
    'page[]',
    'limit[a]',
    'toString',
    '',
    'offset',
  ];
  const parts: string[] = [];
  if (query.includes('from') && random.below(8) > 0) return `?from=${random.pick(seconds)}`;
  for (let count = random.below(5); count > 0; count -= 1) {
    const value = random.below(3) === 0 ? String(random.below(130)) : random.pick(oddQueryValues);
    parts.push(random.below(9) === 0 ? random.pick(names) : `${random.pick(names)}=${value}`);
  }
  return `?${parts.join(random.pick(['&', '&', '&', '&&', ';']))}`;
}

export type Tree =
  | { kind: 'object'; members: [string, Tree][] }
  | { kind: 'array'; items: Tree[] }
  | { kind: 'raw'; text: string };

function raw(value: unknown): Tree {
  return { kind: 'raw', text: JSON.stringify(value) };
}

export function write(tree: Tree): string {
  if (tree.kind === 'raw') return tree.text;
  if (tree.kind === 'array') return `[${tree.items.map(write).join(',')}]`;
  return `{${tree.members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
}

const smallestPng = pngFile({ width: 1, height: 1 }).toString('base64');

/** Draws a valid value. Fields that a schema cannot describe, such as existing ids, are known by name. */
export function drawValue(
  schema: Schema,
  name: string,
  knownValue: (name: string) => unknown,
  random: Random,
): Tree {
  const known = knownValue(name);
  if (known !== undefined) return raw(known);
  if (schema.enum !== undefined) return raw(random.pick(schema.enum));
  if (schema.anyOf !== undefined) return drawValue(random.pick(schema.anyOf), name, knownValue, random);
  if (schema.type === 'object') {
    const members = Object.entries(schema.properties ?? {})
      .filter(([member]) => schema.required?.includes(member) === true || random.below(2) === 0)
      .map(([member, inner]): [string, Tree] => [member, drawValue(inner, member, knownValue, random)]);
    return { kind: 'object', members };
  }
  if (schema.type === 'array') {
    const items = Array.from({ length: random.below(4) }, () =>
      drawValue(schema.items ?? {}, `${name}[]`, knownValue, random),
    );
    return { kind: 'array', items };
  }
  if (schema.type === 'null') return raw(null);
  if (schema.type === 'boolean') return raw(random.below(2) === 0);
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = 1_000_000 } = schema;
    return raw(
      random.pick([minimum, maximum, minimum + random.below(Math.min(1_000, maximum - minimum) + 1)]),
    );
  }
  // All other patterns in the document are those of prices.
  if (schema.pattern !== undefined) return raw(random.pick(['0', '1', '9.5', '10.00', '999999.99']));
  return raw(
    random.pick(['Ada', 'a', 'Zoë 🦊', ' trimmed ', 'x'.repeat(80), 'O\u2019Neil & <Sons>', 'null', '{}']),
  );
}

function drawKnown(name: string, { id }: Operation, world: World, random: Random): unknown {
  switch (name) {
    case 'file': {
      if (random.below(3) > 0) world.bankLines += 1;
      const text = random.below(2) === 0 ? 'Lunch' : rfReference(random.pick(world.resellers).id);
      return statementOf('12.50', text, world.bankLines).file;
    }
    case 'csv':
      return random.below(8) === 0 ? undefined : statementOf('1', '', 0).csv;
    case 'methods':
      return payments.methods;
    case 'minimum':
    case 'maximum':
      return id === 'setPayments' ? payments[name] : undefined;
    case 'method':
      return random.below(3) === 0 ? undefined : 'bank_transfer';
    case 'below':
      return '10.00';
    case 'monthly_maximum':
      return '5000.00';
    case 'account_id':
      return id === 'assignBankLine' ? random.pick(world.resellers).id : undefined;
    case 'package_id':
      if (id === 'grantTrial' && random.below(5) > 0) return world.trial;
      return random.pick(
        random.below(12) === 0 ? [...world.unorderable, ...world.changeable, 999] : world.orderable,
      );
    case 'customer': {
      if (random.below(2) === 0) world.customerNames += 1;
      const number = random.below(3) === 0 ? random.below(world.customerNames) : world.customerNames;
      return number % 3 === 0 ? `Fuzz.${number}@Example.com` : `fuzz-${number}`;
    }
    case 'period':
    case 'months':
      // Mostly only one of the two is sent, because they rarely match.
      return random.below(2) === 0 ? (name === 'months' ? 1 : 'monthly') : undefined;
    case 'renew':
    case 'order_id':
      return world.orders.length === 0 ? undefined : random.pick(world.orders);
    case 'idempotency_key':
      return `k-${random.below(400)}`;
    case 'username':
      return `fuzz-${random.below(100_000)}`;
    case 'password':
      return 'correct horse battery staple';
    case 'amount':
      if (['setAutoTopup', 'createTopup'].includes(id)) return random.pick(['25.00', '60', '0']);
      return random.pick([
        '1',
        '0.01',
        '100.00',
        '-0.01',
        '-5',
        '2500.5',
        '-999999999999',
        '999999999999.99',
      ]);
    case 'from':
      if (id.startsWith('redeliverSince') && world.events.length > 0 && random.below(2) === 0)
        return random.pick(world.events);
      // An account has one list for each second to come.
      if (id === 'setAccountPrices') return `20${27 + random.below(60)}-01-01T00:00:00Z`;
      return random.pick(seconds);
    case 'until':
      return random.below(3) > 0 ? undefined : '2028-01-01T00:00:00Z';
    case 'prices':
      if (id !== 'setAccountPrices' || random.below(4) === 0) return undefined;
      return random.below(3) === 0 ? [] : [{ package_id: random.pick(world.orderable), monthly: '9.00' }];
    case 'advance':
      return random.below(6) === 0 ? undefined : random.pick(['P1D', 'P1W', 'PT1S', 'P1M', 'P0D']);
    case 'now':
      return random.below(4) === 0 ? '2030-01-01T00:00:00Z' : undefined;
    case 'limits':
      return random.pick<object>([
        {},
        { seats: 3 },
        { storage_gb: null },
        { sso: true },
        { constructor: 'x' },
        { accounts: 1, posts_per_day: 2, ai_images_per_month: 3 },
      ]);
    case 'remove_limits[]':
      return random.pick(limitKeys);
    case 'colour':
      return random.pick(['#0f766e', '#FFE14D', null]);
    case 'support_address':
      return random.pick(['help@example.com', null]);
    case 'data':
      return smallestPng;
    case 'url':
    case 'test_url':
      return random.below(3) > 0
        ? 'https://product.example.com/calls'
        : random.pick(['http://product.example.com', 'ftp://', 'here']);
    case 'secret':
    case 'test_secret':
      return `whsec_${'A'.repeat(random.pick([8, 32, 32, 32, 88]))}`;
    case 'allowed_ips[]':
      return random.pick([
        '127.0.0.1',
        '::1',
        '0.0.0.0/0',
        '::/0',
        '10.0.0.0/8',
        '2001:db8::/32',
        '::ffff:127.0.0.1',
      ]);
    case 'rate_limit_per_minute':
      return random.pick([1, 2, 60, 1_000_000]);
    case 'trial':
      return random.below(6) === 0;
    case 'code':
      return world.codes.length === 0 ? 'c'.repeat(43) : random.pick(world.codes);
    case 'max_charge':
      return random.below(3) === 0 ? undefined : '999999.99';
    case 'return_login':
      return random.below(3) > 0;
    default:
      return undefined;
  }
}

const naughtyStrings: readonly string[] = JSON.parse(
  readFileSync(new URL('../../test/corpora/naughty-strings.json', import.meta.url), 'utf8'),
);

const deep = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;

const oddValues: readonly string[] = [
  ...['null', 'true', 'false', '0', '-0', '-1', '1.5', '1e2', '1e400', '-1e400', '5e-324', '1e21'],
  ...[
    '2147483647',
    '2147483648',
    '9007199254740991',
    '9007199254740993',
    '9223372036854775808',
    '9'.repeat(400),
  ],
  ...[
    '""',
    '" "',
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00x"',
    '"\\u202e"',
    '"\\u212a"',
    '"__proto__"',
    '"1"',
    '"01"',
  ],
  ...['"1.005"', '"-0"', '"1e3"', '"٣"', '"0x10"', '"{}"', '"a\\tb"', '"a\\nb"', '"\\u2028"', '"🦊"'],
  ...['[]', '{}', '[[]]', '[null]', '{"length":1}', '{"__proto__":{"isAdmin":true}}', '{"toString":1}'],
  ...['{"constructor":{"prototype":{"polluted":true}}}', '[1,2,3]', '{"0":"a","1":"b"}', '{"valueOf":null}'],
  `"${'x'.repeat(81)}"`,
  `"${'x'.repeat(256)}"`,
  `"${'x'.repeat(60_000)}"`,
  `"a${'\u0301'.repeat(2_000)}"`,
  `"${'👨‍👩‍👧‍👦'.repeat(121)}"`,
  `[${'0,'.repeat(20_000)}0]`,
  deep('[', ']', 50),
  deep('[', ']', 30_000),
  deep('{"a":', '}', 9_000),
];

const oddNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  'a\u0000b',
  'is_admin',
];
const moreOddNames = [
  'id',
  'balance',
  'balance_cents',
  'account_id',
  'Customer',
  'customer ',
  'x'.repeat(2_000),
  '🦊',
  '\u202e',
];

export function spoil(tree: Tree, random: Random): void {
  if (tree.kind === 'raw') {
    tree.text = spoilValue(tree.text, random);
    return;
  }
  const inner = tree.kind === 'array' ? tree.items : tree.members.map(([, member]) => member);
  const deeper = inner.filter(({ kind }) => kind !== 'raw');
  if (deeper.length > 0 && random.below(3) === 0) {
    spoil(random.pick(deeper), random);
    return;
  }
  if (tree.kind === 'array') {
    tree.items.push({ kind: 'raw', text: spoilValue('"a"', random) });
    return;
  }
  const { members } = tree;
  const at = random.below(Math.max(1, members.length));
  const member = members[at];
  const name = random.pick([...oddNames, ...moreOddNames]);
  const choice = member === undefined ? 5 : random.below(7);
  if (member !== undefined && choice <= 2) {
    member[1] = { kind: 'raw', text: spoilValue(write(member[1]), random) };
  } else if (member !== undefined && choice === 3) members.splice(at, 1);
  else if (member !== undefined && choice === 4) {
    const doubled: Tree = random.below(2) === 0 ? member[1] : { kind: 'raw', text: random.pick(oddValues) };
    members.splice(random.below(members.length + 1), 0, [member[0], doubled]);
  } else members.push([name, { kind: 'raw', text: random.pick(oddValues) }]);
}

function spoilValue(text: string, random: Random): string {
  switch (random.below(6)) {
    case 0:
      return JSON.stringify(random.pick(naughtyStrings));
    case 1:
      return `[${text}]`;
    case 2:
      return text.startsWith('"')
        ? `${text.slice(0, -1)}${random.pick(['\\u0000', ' ', '\\n', '\u00e9', '.', 'x'])}"`
        : `"${text.replaceAll('"', '')}"`;
    default:
      return random.pick(oddValues);
  }
}

const oddTexts: readonly string[] = [
  '',
  ' ',
  '[]',
  '"a"',
  '1',
  'null',
  '{}',
  '{}{}',
  '{,}',
  '\ufeff{}',
  '\0',
  'a=b',
  '<a/>',
];

export function spoilText(text: string, random: Random): string {
  switch (random.below(6)) {
    case 0:
      return text.slice(0, random.below(text.length));
    case 1:
      return text + random.pick(['x', '}', '\0', ' ', '\n\n', ',', text]);
    case 2:
      return `${' '.repeat(65_536)}${text}`;
    case 3:
      return text.replace(/[{}":,[\]]/, random.pick(['', "'", '\u201c', ';', '\t']));
    case 4:
      return deep('[', ']', 32_000);
    default:
      return random.pick(oddTexts);
  }
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly sentBytes: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly body: any;
}

/** Only a body that exceeds the socket buffers can make the service close the connection before its answer is read. */
const cutOffBytes = 60_000;
const silenceMilliseconds = 20_000;

function readable(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'br') return brotliDecompressSync(bytes);
  return encoding === 'gzip' ? gunzipSync(bytes) : bytes;
}

/** @returns null if the service closed the connection during a large body */
export function send(
  address: string,
  agent: Agent,
  { method, path, headers, body }: FuzzRequest,
): Promise<RawAnswer | null> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': body.length };
    const options = { agent, hostname, port, method, path, headers: { ...headers, ...length } };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const sent = Buffer.concat(chunks);
        const text = readable(sent, response.headers['content-encoding']).toString('utf8');
        const isJson = response.headers['content-type']?.startsWith('application/json') === true;
        try {
          const parsed = isJson && text !== '' ? JSON.parse(text) : null;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            sentBytes: sent.length,
            body: parsed,
          });
        } catch (error) {
          reject(error);
        }
      });
    });
    request.setTimeout(silenceMilliseconds, () => request.destroy(new Error('The service does not answer.')));
    request.on('error', (error) => {
      if ((body?.length ?? 0) > cutOffBytes) resolve(null);
      else reject(error);
    });
    request.end(body ?? undefined);
  });
}

const streamed: readonly string[] = ['getStatement', 'exportCustomer', 'exportCustomerOfAccount'];

/** @returns "201" or "422 invalid_customer" if the answer is documented */
export function checkAnswer(
  operation: Operation,
  request: FuzzRequest,
  { status, headers, text, sentBytes, body }: RawAnswer,
): string {
  assert.match(String(headers['x-request-id']), /^[A-Za-z0-9._-]{1,64}$/, 'every answer has X-Request-Id');
  assert.ok(status < 500, 'no request is our failure');
  if (request.method === 'HEAD') {
    assert.ok(status >= 400, 'HEAD is never taken');
    return `${status} HEAD`;
  }
  if (status < 400 && headers['content-type'] !== 'application/json; charset=utf-8') {
    const isFile = /^(?:text\/csv|application\/pdf)/.test(String(headers['content-type']));
    const isEmpty = [202, 204, 304].includes(status);
    assert.ok(isEmpty ? text === '' : isFile, 'an answer that is not JSON is empty or a file');
    assert.ok(operation.answers.has(status), `the document lists ${status} for ${operation.id}`);
    assert.equal(request.isElsewhere, false, 'a method that is not documented is not taken');
    return String(status);
  }
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  // Exports and compressed answers are streamed, so they have no length.
  const isWhole = status >= 400 || !streamed.includes(operation.id);
  const isCompressed = headers['content-encoding'] !== undefined;
  if (headers['content-length'] !== undefined || (isWhole && !isCompressed)) {
    assert.equal(Number(headers['content-length']), sentBytes, 'the length that was announced');
  }
  const code: string | undefined = status >= 400 ? body?.error?.code : undefined;
  const documented = operation.answers.get(status);
  if (status >= 400) {
    assert.ok(code !== undefined && Object.hasOwn(errorCatalog, code), `the code ${code} is in the catalog`);
    if (status === 429) assert.ok(Number(headers['retry-after']) >= 1, 'Retry-After');
    const isElsewhere = status === 404 ? code === 'not_found' : status === 405;
    if (status === 405) {
      assert.ok(request.isElsewhere, 'the document says that the path takes this method');
      assert.deepEqual(String(headers['allow']).split(', ').sort(), operation.methods.toSorted(), 'Allow');
    }
    if (isElsewhere) return `${status} ${code}`;
    // Checks before routing may refuse any method, so every operation documents their codes.
    assert.ok(documented, `the document lists ${status} for ${operation.id}`);
    assert.ok(documented.codes.includes(code), `the document lists ${code} for ${operation.id}`);
  } else assert.equal(request.isElsewhere, false, 'a method that is not documented is not taken');
  assert.ok(documented, `the document lists ${status} for ${operation.id}`);
  const problem = documented.problem(body);
  assert.equal(problem, null, `the answer fits its schema: ${problem}`);
  return code === undefined ? String(status) : `${status} ${code}`;
}

const shownMax = 1_500;

export function describeFailure(
  seed: number,
  number: number,
  { operation, method, path, headers, body }: FuzzRequest,
  answer: RawAnswer | null,
  error: unknown,
): string {
  const { authorization, ...others } = headers;
  const shown = (text: string) =>
    text.length > shownMax ? `${text.slice(0, shownMax)}… (${text.length})` : text;
  return [
    `seed ${seed}, request ${number} (${operation}): ${error instanceof Error ? error.message : String(error)}`,
    `${method} ${shown(path)}`,
    `${JSON.stringify(others)}${authorization === undefined ? ', no key' : ''}`,
    body === null ? 'no body' : shown(JSON.stringify(body.toString('utf8'))),
    answer === null ? 'no answer' : `→ ${answer.status} ${shown(answer.text)}`,
  ].join('\n');
}
