// A fuzzer like fuzzer.ts, for the panel: it knows the routes only by the panel's document and calls them with a session.
// Requests that end sessions use accounts that are signed in again afterwards. Called by panel-fuzz.test.ts.

import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { Secret, TOTP } from 'otpauth';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { createRandom, type Random } from '../../src/setup/demo-year/seeded-random.ts';
import { publicId } from '../../src/shared/identifiers.ts';
import { type MailServer, startMailServer } from '../../test/harness/mail-server.ts';
import { signIn, testPassword, usernameOf } from '../../test/harness/panel-client.ts';
import { changeAccount } from '../../test/harness/shop.ts';
import {
  checkAnswer,
  describeFailure,
  drawQuery,
  drawValue,
  type FuzzReport,
  type FuzzRequest,
  type Operation,
  oddHeaders,
  oddIds,
  oddMethod,
  otherServers,
  type RawAnswer,
  readOperations,
  type Schema,
  send,
  spoil,
  spoilText,
  withSiblings,
  write,
} from './fuzzer.ts';

interface Seat {
  readonly account: TestAccount;
  readonly username: string;
  cookie: string;
  secret: string | null;
  isTotpOn: boolean;
  sessions: string[];
  recoveryCodes: string[];
  /** The account's only endpoint, which enables events for its orders; 0: none. */
  webhook: number;
  people: number[];
  keys: number[];
  keyActions: number;
}

interface PanelWorld {
  readonly service: TestService;
  readonly mailServer: MailServer;
  readonly administrator: Seat;
  readonly readers: readonly Seat[];
  readonly victims: readonly Seat[];
  readonly orders: readonly number[];
  readonly customers: readonly number[];
  readonly passwordTokens: string[];
}

export interface FuzzedPanel {
  readonly service: TestService;
  readonly mailServer: MailServer;
  close(): Promise<void>;
}

const many = 1_000_000_000;

export async function startFuzzedPanel(): Promise<FuzzedPanel> {
  const mailServer = await startMailServer();
  const service = await startTestService({
    outbound: otherServers,
    environment: { SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`, MAIL_FROM: 'billing@example.com' },
    limits: {
      rates: {
        failuresPerMinute: many,
        accessChangesPerHour: many,
        sessionRequestsPerMinute: many,
        panelRequestsPerMinute: many,
      },
      attempts: { freeFailures: many, neighborhoodFailuresMax: many, freeCodeFailures: many },
    },
  });
  const close = async () => {
    await service.close();
    await mailServer.close();
  };
  return { service, mailServer, close };
}

export async function fuzzPanel(panel: FuzzedPanel, seed: number, until: () => boolean): Promise<FuzzReport> {
  const { service } = panel;
  const random = createRandom(seed);
  const operations = withSiblings(readOperations((await service.admin.get('/panel/api/openapi.json')).body));
  const world = await createPanelWorld(panel);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers = new Map<string, number>();
  const ids = operations.map(({ id }) => id);
  // There is no product to call.
  const blind = new Set(ids.filter((id) => id !== 'sendProductTestCall'));
  let requests = 0;
  try {
    while (!until()) {
      const next = nextStep(world, random);
      // Operations without a success yet are tried more often, so that every operation succeeds at least once.
      const rare = operations.filter(({ id }) => blind.has(id));
      const pool = rare.length > 0 && random.below(4) === 0 ? rare : operations;
      const drawn = operations.find(({ id }) => id === next?.id) ?? random.pick(pool);
      // A password hash takes a tenth of a second on purpose, which is too much for every second request.
      const isCostly = endsSessions.includes(drawn.id) || drawn.id === 'revealApiKey';
      const operation = next === null && isCostly && random.below(2) > 0 ? random.pick(operations) : drawn;
      const seat = next?.seat ?? pickSeat(operation, world, random);
      const request = drawPanelRequest(
        operation,
        seat,
        world,
        random,
        next !== null && random.below(2) === 0,
      );
      requests += 1;
      let answer: RawAnswer | null = null;
      try {
        answer = await send(service.address, agent, request);
        if (answer === null) continue;
        const label = `${operation.id} ${checkAnswer(operation, request, answer)}`;
        answers.set(label, (answers.get(label) ?? 0) + 1);
        if (answer.status < 300) blind.delete(operation.id);
        await learnOfPanel(world, seat, operation, answer);
      } catch (error) {
        throw new Error(describeFailure(seed, requests, request, answer, error), { cause: error });
      }
    }
  } finally {
    agent.destroy();
  }
  return { requests, answers, operations: ids, blind: [...blind] };
}

async function createPanelWorld({ service, mailServer }: FuzzedPanel): Promise<PanelWorld> {
  const sit = async (account: TestAccount): Promise<Seat> => ({
    account,
    username: await usernameOf(service, account),
    cookie: (await signIn(service, account)).cookie,
    secret: null,
    isTotpOn: false,
    sessions: [],
    recoveryCodes: [],
    webhook: 0,
    people: [],
    keys: [],
    keyActions: 0,
  });
  const readers = [];
  for (const group of ['reseller', 'distributor'] as const) {
    const reader = await sit(await service.createReseller({ group, credit: '900.00' }));
    const made = await reader.account.post('/webhooks', {
      url: 'https://shop.example.com/',
      types: ['plan.suspended'],
    });
    assert.equal(made.status, 201, made.text);
    reader.webhook = made.body.webhook.id;
    readers.push(reader);
  }
  const victims = [];
  for (let count = 0; count < 3; count += 1) {
    const account = await service.createReseller();
    await changeAccount(service, account, { email: `${account.id}@example.com` });
    victims.push(await sit(account));
  }
  const orders: number[] = [];
  const customers: number[] = [];
  for (const { account } of readers) {
    for (let count = 0; count < 8; count += 1) {
      const { basic, plus } = service.packages;
      const body = { package_id: count === 5 ? plus : basic, customer: `of-${account.id}-${count % 5}` };
      const { order } = (await account.post('/orders', body)).body;
      orders.push(order.id);
      customers.push(order.customer.id);
    }
  }
  // Waiting for mail needs idle jobs, but an enabled endpoint always has pending deliveries.
  for (const { account, webhook } of readers) {
    const off = await account.send('PATCH', `/webhooks/${webhook}`, { enabled: false });
    assert.equal(off.status, 200, off.text);
  }
  return {
    service,
    mailServer,
    administrator: await sit(service.admin),
    readers,
    victims,
    orders,
    customers,
    passwordTokens: [],
  };
}

const endsSessions = [
  ...['signIn', 'signOut', 'endSession', 'endOtherSessions', 'changePassword', 'setAllowList'],
  ...['beginTotp', 'confirmTotp', 'disableTotp', 'resetOwnApiKey', 'listSessions'],
];

/** Steps that random single requests do not reach, such as confirming a secret or disabling a second factor. */
function nextStep(
  { readers, victims, administrator, passwordTokens }: PanelWorld,
  random: Random,
): { id: string; seat: Seat } | null {
  if (random.below(5) > 0) return null;
  if (random.below(3) === 0) {
    const reader = random.pick(readers);
    // Colleagues must be invited first. A key must be created before it can be changed, rotated and revoked.
    if (random.below(2) === 0) {
      const next = ['changeKey', 'rotateKey', 'revokeKey'][reader.keyActions] ?? 'revokeKey';
      return { id: reader.keys.length === 0 ? 'createKey' : next, seat: reader };
    }
    const actions = ['changeColleague', 'renewColleagueInvitation', 'removeColleague'];
    return { id: reader.people.length === 0 ? 'inviteColleague' : random.pick(actions), seat: reader };
  }
  // A new secret is valid for a quarter of an hour, which is thirty requests.
  const begun = victims.filter(({ secret }) => secret !== null);
  const seat = random.pick(begun.length > 0 ? begun : victims);
  // A new password needs the right current one and a good new one. Sessions must be listed first, and links mailed.
  if (begun.length === 0 && random.below(2) === 0) {
    if (random.below(2) === 0)
      return {
        id: seat.sessions.length === 0 ? 'listSessions' : random.pick(['endSession', 'changePassword']),
        seat,
      };
    return { id: passwordTokens.length === 0 ? 'requestPasswordReset' : 'completePasswordReset', seat };
  }
  if (!seat.isTotpOn) return { id: seat.secret === null ? 'beginTotp' : 'confirmTotp', seat };
  return random.below(2) === 0 ? { id: 'disableTotp', seat } : { id: 'disableTotpOf', seat: administrator };
}

function pickSeat({ id, path }: Operation, world: PanelWorld, random: Random): Seat {
  if (endsSessions.includes(id)) return random.pick(world.victims);
  if (path.startsWith('/panel/api/admin/') && random.below(20) > 0) return world.administrator;
  return random.pick(world.readers);
}

function drawPanelRequest(
  operation: Operation,
  seat: Seat,
  world: PanelWorld,
  random: Random,
  isPlain: boolean,
): FuzzRequest {
  const oneIn = (count: number) => !isPlain && random.below(count) === 0;
  const isElsewhere = oneIn(40);
  const path = fillPanelPath(operation, seat, world, random) + drawQuery(operation, random);
  const headers: Record<string, string | string[]> = { host: 'fuzz', ...drawCaller(seat, random, isPlain) };
  if (oneIn(8)) Object.assign(headers, withoutCookie(random.pick(oddHeaders)));
  let text: string | null = null;
  if (operation.body !== null) {
    const drawn = drawValue(
      mostlyConfirmed(operation.body, random),
      '',
      (name) => knownOf(name, operation, seat, world, random),
      random,
    );
    for (let count = isPlain ? 0 : random.pick([0, 0, 0, 1, 1, 2]); count > 0; count -= 1)
      spoil(drawn, random);
    text = oneIn(14) ? spoilText(write(drawn), random) : write(drawn);
  } else if (oneIn(8)) text = random.pick(['{}', '{', '[]', 'x'.repeat(70_000)]);
  return {
    operation: operation.id,
    method: isElsewhere ? oddMethod(operation, random) : operation.method,
    path,
    headers,
    body: text === null ? null : Buffer.from(text, 'utf8'),
    isElsewhere,
  };
}

/** Mostly requires the password, although it is optional after a recent confirmation. */
function mostlyConfirmed(schema: Schema, random: Random): Schema {
  const passwords = ['password', 'current_password'].filter(
    (name) => schema.properties?.[name] !== undefined,
  );
  if (random.below(5) === 0) return schema;
  return { ...schema, required: [...(schema.required ?? []), ...passwords] };
}

function withoutCookie({ cookie: _cookie, ...rest }: Readonly<Record<string, string | string[]>>) {
  return rest;
}

function drawCaller({ cookie, account }: Seat, random: Random, isPlain: boolean): Record<string, string> {
  const own = { 'sec-fetch-site': 'same-origin' };
  switch (isPlain ? null : random.below(30)) {
    case 0:
      return own;
    case 1:
      return { ...own, cookie: random.pick(['sellthrough=', 'sellthrough=1.x', `x${cookie}`, `${cookie}x`]) };
    case 2:
      return { cookie, 'sec-fetch-site': random.pick(['cross-site', 'same-site', 'none', '']) };
    case 3:
      return { cookie, origin: random.pick(['https://elsewhere.example', 'null', 'http://fuzz:1']) };
    case 4:
      return { cookie };
    case 5:
      return { ...own, authorization: `Bearer ${account.key}` };
    default:
      return { ...own, cookie };
  }
}

function fillPanelPath(operation: Operation, seat: Seat, world: PanelWorld, random: Random): string {
  // Logged requests are numbered from 1, and the readers have sent some with their keys.
  const path = operation.path
    .replace('{number}', String(1 + random.below(6)))
    .replace('{code}', random.pick(['not_found', 'insufficient_credit', 'of_no_kind']));
  const [, inner] = /\{(person|key)_id\}/.exec(path) ?? [];
  if (inner !== undefined) {
    const ids = inner === 'person' ? seat.people : seat.keys;
    const known = random.below(8) > 0 && ids.length > 0 ? ids : oddIds;
    return path.replace(`{${inner}_id}`, String(random.pick<string | number>(known)));
  }
  if (path.includes('/webhooks/') || path.includes('{event_id}')) {
    const webhook = random.below(8) > 0 ? seat.webhook : random.pick(oddIds);
    const event = random.below(8) > 0 ? publicId(seat.account.id, 1 + random.below(8)) : random.pick(oddIds);
    return path.replace('{id}', String(webhook)).replace('{event_id}', String(event));
  }
  if (!path.includes('{id}')) return path;
  const withTotp = world.victims.filter(({ isTotpOn }) => isTotpOn);
  const drawId = () => {
    if (random.below(8) === 0) return random.pick(oddIds);
    if (path.includes('/sessions/')) return random.pick(['none', ...seat.sessions]);
    if (path.includes('/ledger/')) return String(publicId(random.pick(world.readers).account.id, 1));
    if (path.includes('/requests/')) return String(random.pick(world.readers).account.id);
    if (path.includes('/orders/')) return String(random.pick(world.orders));
    if (path.includes('/customers/')) return String(random.pick(world.customers));
    return String(random.pick(withTotp.length > 0 ? withTotp : world.victims).account.id);
  };
  return path.replace('{id}', drawId);
}

function knownOf(
  name: string,
  { id }: Operation,
  seat: Seat,
  { service, victims, orders, passwordTokens }: PanelWorld,
  random: Random,
): unknown {
  switch (name) {
    case 'username':
      return id === 'inviteColleague' ? `colleague-${random.below(1_000_000)}` : seat.username;
    case 'role':
      return random.pick(['owner', 'staff', 'viewer', 'viewer', 'support']);
    case 'account': {
      // A password reset leads to a new sign-in, which disables codes. So prefer people without codes.
      const without = victims.filter((victim) => victim.secret === null);
      return random.pick(without.length > 0 ? without : victims).username;
    }
    case 'email':
      return random.pick(['', `${seat.account.id}@example.com`, `${seat.account.id}@example.com`, 'nobody']);
    case 'token':
      return passwordTokens.at(-1) ?? 'none';
    case 'password':
    case 'current_password':
      return random.below(6) === 0 ? 'not the right password' : testPassword;
    case 'new_password':
      return random.below(6) === 0 ? testPassword : 'another horse battery staple';
    case 'code':
      return seat.recoveryCodes.length > 0 && id !== 'confirmTotp'
        ? seat.recoveryCodes.pop()
        : codeOf(seat, service.clock.seconds);
    case 'package_id':
      return random.pick([service.packages.basic, service.packages.plus, service.packages.retired, 999]);
    case 'customer':
      return `of-${seat.account.id}-${random.below(9)}`;
    case 'order_id':
      return random.below(3) === 0 ? random.pick(orders) : undefined;
    case 'months':
    case 'period':
      // A preview requires no field, so a drawn body rarely has both package and customer. So the period is always sent.
      return id.startsWith('preview') || random.below(2) === 0
        ? name === 'months'
          ? 1
          : 'monthly'
        : undefined;
    case 'name':
      return id === 'createKey' || id === 'changeKey' ? `key-${random.below(9)}` : undefined;
    case 'expires_at':
      return random.pick([null, '2030-01-01T00:00:00Z']);
    case 'scopes[]':
      return random.pick(['balance:read', 'orders:write', 'admin:credit']);
    case 'allowed_ips[]':
      return random.pick(['127.0.0.1', '::1', '10.0.0.0/8', '0.0.0.0/0']);
    default:
      return undefined;
  }
}

function codeOf({ secret }: Seat, seconds: number): string {
  if (secret === null) return '000000';
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: seconds * 1000 });
}

async function learnOfPanel(
  world: PanelWorld,
  seat: Seat,
  { id }: Operation,
  { status, body }: RawAnswer,
): Promise<void> {
  const { service, administrator } = world;
  // Codes can be used once, so move to the next time step.
  service.clock.seconds += 30;
  if (id === 'listSessions' && status === 200) {
    seat.sessions = body.data.map((one: { id: string }) => one.id);
  }
  if (id === 'inviteColleague' && status === 201) seat.people.push(body.person.id);
  if (id === 'createKey' && status === 201) {
    seat.keys = [body.key.id];
    seat.keyActions = 0;
  }
  if ((id === 'changeKey' || id === 'rotateKey') && status === 200) seat.keyActions += 1;
  if (id === 'removeColleague' && status === 200) seat.people = [];
  if (id === 'revokeKey' && status === 200) seat.keys = [];
  if (id === 'beginTotp' && typeof body?.secret === 'string') seat.secret = body.secret;
  if (Array.isArray(body?.recovery_codes)) {
    seat.recoveryCodes = [...body.recovery_codes];
    seat.isTotpOn = true;
  }
  if (id === 'confirmTotp' && body?.error?.code === 'totp_not_enabled') forgetTotp(seat);
  if (id === 'disableTotp' && status === 204) forgetTotp(seat);
  if (id === 'disableTotpOf' && status === 204) {
    for (const victim of world.victims) {
      if (victim.isTotpOn && !(await isOn(world, victim))) forgetTotp(victim);
    }
  }
  if (id === 'requestPasswordReset' && status === 202) await readMail(world);
  // The link is spent, or the password has changed since.
  if (id === 'completePasswordReset' && (status === 204 || status === 404)) world.passwordTokens.pop();
  if (id === 'completePasswordReset' && status === 204) {
    for (const victim of world.victims) {
      if (!(await isSignedIn(service, victim))) await signInAgain(world, victim, true);
    }
  }
  const endedIt = endsSessions.includes(id) && id !== 'signIn' && status === 204;
  const isLost = status === 401 && body?.error?.code === 'not_signed_in';
  if (!endedIt && !isLost) return;
  // The session that changes the password continues, but the test's password must be set again.
  const setPassword = id === 'changePassword';
  if (seat === administrator || (!setPassword && (await isSignedIn(service, seat)))) return;
  await signInAgain(world, seat, setPassword);
}

async function signInAgain(
  { service, administrator }: PanelWorld,
  seat: Seat,
  setPassword: boolean,
): Promise<void> {
  if (seat.isTotpOn) {
    const path = `/panel/api/admin/accounts/${seat.account.id}/totp/disable`;
    const off = await service.admin.post(path, { current_password: testPassword }, signedIn(administrator));
    assert.equal(off.status, 204, off.text);
    forgetTotp(seat);
  }
  seat.cookie = (await signIn(service, seat.account, { setPassword })).cookie;
  seat.sessions = [];
}

async function readMail({ service, mailServer, passwordTokens }: PanelWorld): Promise<void> {
  await service.service.passwordLinks.settled();
  service.clock.seconds += defaultLimits.scheduledJobs.mail.everySeconds;
  for (let look = 0; look < 4; look += 1) {
    await service.service.jobs.look();
    await service.service.jobs.idle();
  }
  for (const { parsed } of mailServer.take()) {
    const [, token] = /reset-password#token=(\S+)/.exec(parsed.text ?? '') ?? [];
    if (token !== undefined) passwordTokens.push(token);
  }
}

function forgetTotp(seat: Seat): void {
  seat.isTotpOn = false;
  seat.secret = null;
  seat.recoveryCodes = [];
}

const signedIn = ({ cookie }: Seat) => ({ cookie, authorization: '', 'sec-fetch-site': 'same-origin' });

async function isSignedIn({ admin }: TestService, seat: Seat): Promise<boolean> {
  return (await admin.get('/panel/api/me', signedIn(seat))).status === 200;
}

async function isOn({ service }: PanelWorld, { account }: Seat): Promise<boolean> {
  return (await service.admin.get(`/api/admin/v1/accounts/${account.id}`)).body.account.totp_enabled;
}
