// A small product, a project tool: takes orders or refuses them, keeps its own copy of what customers may do, holds them to
// the limits of their package (seats, storage_gb, sso), and lets them in.
//
//   SELLTHROUGH_URL=… SELLTHROUGH_KEY=… PRODUCT_SECRET=whsec_… node small-product.ts [port, 4001 by default]
//
// POST /sellthrough is what the service calls (PUT /api/admin/v1/product), GET /welcome is its PRODUCT_URL. Three files in
// PRODUCT_FOLDER, of this one process, are all it knows: calls.jsonl, every call that was decided, copy.json, the copy and its
// place, and usage.json, what customers use. Stop it where you like, with kill -9 too: what it has answered, it has written.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as fs from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Entitlement, isSellthroughError, Sellthrough } from '@sellthrough/client';

const client = new Sellthrough({
  baseUrl: process.env['SELLTHROUGH_URL'] ?? '',
  apiKey: process.env['SELLTHROUGH_KEY'] ?? '', // one with the scope product
});
const key = Buffer.from((process.env['PRODUCT_SECRET'] ?? '').replace('whsec_', ''), 'base64');
if (key.length < 24) throw new Error('PRODUCT_SECRET must be whsec_… of the product’s settings.');
const customersMax = Number(process.env['PRODUCT_CUSTOMERS'] ?? 100);
const folder = process.env['PRODUCT_FOLDER'] ?? '.';

type Limits = Entitlement['limits'];

/** The old content or the new one is there, never half of one: a file is renamed as a whole. */
function replaceFile(file: string, content: object): void {
  fs.writeFileSync(`${file}.new`, JSON.stringify(content), { flush: true });
  fs.renameSync(`${file}.new`, file);
}

// ---- the calls

interface Call {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly customer: { readonly reference: string };
    readonly order_id: number | null;
    readonly limits: Limits;
    readonly status: string;
    readonly expires_at: string;
  };
}

/** Whether the service has signed these bytes with our secret, within the last five minutes. */
function isSigned(headers: IncomingMessage['headers'], body: Buffer): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= 300)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest();
  // Several with a space between: another one while a secret is replaced, other versions one day.
  return String(signatures)
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .map((each) => Buffer.from(each.slice('v1,'.length), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

interface Decision {
  readonly id: string;
  /** Why it was refused; null: it was taken. */
  readonly refused: string | null;
  readonly reference: string;
  /** How long the customer has a place. */
  readonly placeUntil: string | null;
}

/** Every decision by the id of its call, the oldest first. In a database: a table in which that id is unique. */
const decisions = new Map<string, Decision>();
const callsFile = `${folder}/calls.jsonl`;
fs.appendFileSync(callsFile, '');
const text = fs.readFileSync(callsFile, 'utf8');
// A line without its end was being written when the program was killed: nothing was answered to that call.
const whole = text.slice(0, text.lastIndexOf('\n') + 1);
let callsBytes = Buffer.byteLength(whole);
for (const line of whole.split('\n').filter(Boolean)) {
  const decision: Decision = JSON.parse(line);
  decisions.set(decision.id, decision);
}

/** Once for each call: a call that comes again is answered as it was the first time. */
function decide(call: Call): Decision {
  const { id, data } = call;
  const earlier = decisions.get(id);
  if (earlier !== undefined) return earlier;
  const { reference } = data.customer;
  const refused = whyRefused(call);
  const holdsPlace = data.status === 'active' || data.status === 'suspended';
  const decision = { id, refused, reference, placeUntil: holdsPlace ? data.expires_at : null };
  // Here a product makes the customer's place. If it is killed before the next line it is asked again.
  const line = Buffer.from(`${JSON.stringify(decision)}\n`);
  fs.truncateSync(callsFile, callsBytes);
  fs.appendFileSync(callsFile, line, { flush: true });
  callsBytes += line.length;
  decisions.set(id, decision);
  return decision;
}

/** No place is free for a new customer, or a customer uses more than the new package grants. Renewals are always taken. */
function whyRefused({ type, data }: Call): string | null {
  if (data.order_id === null || type === 'plan.renew') return null;
  const { reference } = data.customer;
  const isFull = !placed().has(reference) && placed().size >= customersMax;
  if (type === 'plan.activate' && isFull) return 'All places are taken';
  const used = Object.entries(usage.get(reference) ?? {}).filter(([, amount]) => amount > 0);
  return used.map(([key, amount]) => whyNot(data.limits, key, amount)).find((why) => why !== null) ?? null;
}

/** Who has a place now: each call says how the plan is after it, so a customer's last one says all. */
function placed(): ReadonlySet<string> {
  const until = new Map<string, string | null>();
  for (const { refused, reference, placeUntil } of decisions.values()) {
    if (refused === null) until.set(reference, placeUntil);
  }
  return new Set([...until].flatMap(([reference, end]) => (end !== null && isAhead(end) ? [reference] : [])));
}

const isAhead = (time: string): boolean => Date.parse(time) > Date.now();

// ---- the copy

interface Copy {
  /** next_after of the last answer. Kept with the copy, so that the two cannot come apart. */
  readonly after?: string;
  readonly packagesVersion?: number;
  readonly customers: Record<string, Entitlement>;
}

const copyFile = `${folder}/copy.json`;
let copy: Copy = fs.existsSync(copyFile) ? JSON.parse(fs.readFileSync(copyFile, 'utf8')) : { customers: {} };

function keep(next: Copy): void {
  replaceFile(copyFile, next);
  copy = next;
}

/** A new copy, of every customer there is. The old one is used until this one is whole. */
async function readEverything(): Promise<Copy> {
  const customers: Record<string, Entitlement> = {};
  let packagesVersion: number | undefined;
  for (let after: string | undefined; ; ) {
    const page = await client.product.readEntitlements({ after, limit: 1000 });
    for (const each of page.data) customers[each.reference] = each;
    packagesVersion ??= page.packages_version;
    after = page.next_after;
    if (!page.has_more) return { after, packagesVersion, customers };
  }
}

async function followEntitlements(): Promise<never> {
  for (;;) {
    try {
      const { after, packagesVersion, customers } = copy;
      if (after === undefined) {
        keep(await readEverything());
        continue;
      }
      const page = await client.product.readEntitlements({ after, limit: 1000, wait: 10 });
      const { data, next_after: next, packages_version: version } = page;
      if (version !== packagesVersion) {
        // A package is not what it was, and it is in every customer's entitlement: all of them once more.
        keep(await readEverything());
      } else if (next !== after) {
        const changed = Object.fromEntries(data.map((each) => [each.reference, each]));
        keep({ after: next, packagesVersion: version, customers: { ...customers, ...changed } });
      }
    } catch (error) {
      console.error(error);
      // Away for too long, or the service was restored from a backup: customers of the old copy may not exist any more.
      if (isSellthroughError(error, 'events_gone')) keep({ customers: copy.customers });
      await pause(1000);
    }
  }
}

// ---- the limits

/** How much of each count customers use, by their reference. */
const usageFile = `${folder}/usage.json`;
const usage = new Map<string, Readonly<Record<string, number>>>(
  fs.existsSync(usageFile) ? JSON.parse(fs.readFileSync(usageFile, 'utf8')) : [],
);

/** What customers do here, and the limit of their package that allows it. */
const limitOf: ReadonlyMap<string, string> = new Map([
  ['POST /members', 'seats'],
  ['POST /files', 'storage_gb'],
  ['GET /sso', 'sso'],
]);

/** Why a package does not allow this much; null: it does. What a package does not name, it does not grant. */
function whyNot(limits: Limits, key: string, amount: number): string | null {
  const limit = limits[key];
  if (limit === undefined || limit === false) return `${key}: not in the package`;
  // A count of null is unlimited.
  return typeof limit === 'number' && amount > limit ? `${key}: ${amount} of ${limit}` : null;
}

/** Why the customer may not use `by` more; null: it is counted. To use less is always possible. */
function use({ reference, limits }: Entitlement, key: string, by: number): string | null {
  const used = usage.get(reference) ?? {};
  const amount = Math.max(0, (used[key] ?? 0) + by);
  const refused = by > 0 ? whyNot(limits, key, amount) : null;
  if (refused !== null || typeof limits[key] === 'boolean') return refused;
  const next = { ...used, [key]: amount };
  replaceFile(usageFile, [...usage, [reference, next]]);
  usage.set(reference, next);
  return null;
}

// ---- the server

/** Who is signed in, by their cookie. In memory: after a restart they come with a new login link. */
const sessions = new Map<string, string>();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://product');
  const say = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (request.method === 'POST' && pathname === '/sellthrough') {
    let body = Buffer.alloc(0);
    for await (const chunk of request) {
      body = Buffer.concat([body, chunk]);
      if (body.length > 65_536) return say(413, { error: 'too long to be a call' });
    }
    if (!isSigned(request.headers, body)) return say(401, { error: 'not signed by the service' });
    const { refused } = decide(JSON.parse(body.toString()));
    return refused === null ? say(200, {}) : say(422, { reason: refused });
  }
  if (request.method === 'GET' && pathname === '/welcome') {
    const code = searchParams.get('code') ?? '';
    const customer = await client.product.exchangeCodeForCustomer({ code }).catch((error: unknown) => {
      if (isSellthroughError(error, 'customer_not_found')) return null;
      throw error;
    });
    if (customer === null) return say(403, { error: 'ask for a new login link' });
    const session = randomBytes(32).toString('base64url');
    sessions.set(session, customer.reference);
    // On to an address without the code. Behind https the cookie is Secure as well.
    const cookie = `session=${session}; HttpOnly; SameSite=Lax; Path=/`;
    response.writeHead(303, { location: '/me', 'set-cookie': cookie }).end();
    return;
  }
  const route = `${request.method} ${pathname}`;
  const limit = limitOf.get(route);
  if (route !== 'GET /me' && limit === undefined) return say(404, { error: 'nothing here' });

  // For trying out, any customer may be asked for. A real product takes the one who is signed in.
  const [, session = ''] = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? [];
  const reference = searchParams.get('customer') ?? sessions.get(session);
  if (reference === undefined) return say(401, { error: 'come with a login link' });
  const entitlement = Object.hasOwn(copy.customers, reference) ? copy.customers[reference] : undefined;
  if (entitlement === undefined) return say(404, { error: 'no such customer' });
  // The clock decides: no change may have arrived yet when a plan ends.
  const active = entitlement.active && isAhead(entitlement.expires_at);
  if (limit !== undefined) {
    const by = Number(searchParams.get('by') ?? 1);
    if (!Number.isSafeInteger(by)) return say(400, { error: 'by must be a whole number' });
    const refused = active ? use(entitlement, limit, by) : 'the plan is not active';
    if (refused !== null) return say(403, { error: refused });
  }
  say(200, { ...entitlement, active, used: usage.get(reference) ?? {} });
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
});
server.listen(Number(process.argv[2] ?? 4001), () => console.log('The small product listens.'));
await followEntitlements();
