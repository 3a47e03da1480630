// Where the recorded requests run: one service, shared callers, and for each line its own place (account, orders, keys,
// people), filled on demand.

import assert from 'node:assert/strict';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { makeAdministrator } from '../../test/harness/logged-by-hand.ts';
import {
  ownPages,
  setCookieOf,
  setTestPassword,
  signIn,
  signInAnswer,
  testPassword,
} from '../../test/harness/panel-client.ts';
import { addPerson, enableCodes, peoplePath, tokenOf } from '../../test/harness/people.ts';
import { expectStatus } from '../../test/harness/refusals.ts';
import type { DocumentOfOperations } from './refusal-cases.ts';

export interface RefusalScene {
  readonly service: TestService;
  documents(): Promise<readonly [api: DocumentOfOperations, panel: DocumentOfOperations]>;
  newPlace(): Place;
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export interface Place {
  fill(text: string): Promise<string>;
  headersOf(caller: string): Promise<Record<string, string>>;
  nameOf(value: unknown): unknown;
}

const many = 1_000_000_000;

async function readDocuments({ address }: TestService) {
  const client = createApiClient(address, null);
  const [api, panel] = await Promise.all(
    ['/api/v1/openapi.json', '/panel/api/openapi.json'].map((path) => client.get(path)),
  );
  return [api?.body, panel?.body] as const;
}

export async function startRefusalScene(): Promise<RefusalScene> {
  const service = await startTestService({
    environment: {
      PUBLIC_URL: 'http://127.0.0.1:3000',
      PRODUCT_URL: 'https://product.example/welcome',
      // No mail is sent, because the jobs do not run.
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'billing@example.com',
      SECOND_FACTOR_ROLES: 'operator:finance',
    },
    outbound: {
      send: async () => ({ type: 'answered', status: 200, answer: 'ok', milliseconds: 1 }),
      problemOf: async (url) => (url.startsWith('https://') ? null : 'must be an https address'),
      close: async () => undefined,
    },
    limits: {
      rates: {
        failuresPerMinute: many,
        refusalsPerMinute: many,
        accessChangesPerHour: many,
        sessionRequestsPerMinute: many,
        panelRequestsPerMinute: many,
      },
      attempts: { freeFailures: many, neighborhoodFailuresMax: many, freeCodeFailures: many },
    },
  });
  const shared = await createSharedCallers(service);
  let count = 0;
  return {
    service,
    documents: () => readDocuments(service),
    newPlace: () => createPlace(service, shared, () => `fresh-${++count}`),
    tidy: () => tidy(service),
    close: () => service.close(),
  };
}

const clockOfNow = 1;

async function createSharedCallers(
  service: TestService,
): Promise<ReadonlyMap<string, Record<string, string>>> {
  const { admin } = service;
  const callers = new Map<string, Record<string, string>>();
  const bearer = (name: string, key: string) => callers.set(name, { authorization: `Bearer ${key}` });
  const session = (name: string, cookie: string) => callers.set(name, { ...ownPages, cookie });
  const keyOf = async (account: TestAccount, settings: object): Promise<string> => {
    const made = await admin.post(`/api/admin/v1/accounts/${account.id}/keys`, { name: 'Key', ...settings });
    return expectStatus(made, 201).api_key;
  };
  const change = async ({ id }: TestAccount, settings: object) =>
    expectStatus(await admin.patch(`/api/admin/v1/accounts/${id}`, settings), 200);

  callers.set('nobody', {});
  callers.set('nobody in the panel', ownPages);
  callers.set('basic', { authorization: 'Basic YTpi' });
  callers.set('empty bearer', { authorization: 'Bearer ' });
  bearer('unknown key', 'sk_live_nobody');
  const account = await service.createReseller();
  bearer('expired key', await keyOf(account, { expires_at: '2026-01-15T12:00:01Z' }));
  bearer('key for balances', await keyOf(account, { scopes: ['balance:read'] }));
  bearer('key for packages', await keyOf(account, { scopes: ['packages:read'] }));
  bearer('key of elsewhere', await keyOf(account, { allowed_ips: ['192.0.2.1'] }));
  bearer('account test key', await keyOf(account, { test: true }));
  bearer('operator key for reads', await keyOf(admin, { scopes: ['admin:read'] }));
  bearer('operator key for balances', await keyOf(admin, { scopes: ['balance:read'] }));
  bearer('product key', await keyOf(admin, { scopes: ['product'] }));
  bearer('operator test key', await keyOf(admin, { test: true }));
  const replaced = await service.createReseller();
  bearer('revoked key', replaced.key);
  expectStatus(await admin.post(`/api/admin/v1/accounts/${replaced.id}/api-key`), 201);

  const blocked = await service.createReseller();
  session('blocked session', (await signIn(service, blocked)).cookie);
  await change(blocked, { blocked: true });
  bearer('blocked key', blocked.key);
  const off = await service.createReseller();
  await change(off, { api_enabled: false });
  bearer('key without api', off.key);
  const away = await service.createReseller();
  await change(away, { allowed_ips: ['192.0.2.1'] });
  bearer('key of an account elsewhere', away.key);

  session('made-up session', `sellthrough=1.${'A'.repeat(43)}`);
  session('odd cookie', 'sellthrough=1.x');
  const ended = await signIn(service, account);
  session('ended session', ended.cookie);
  expectStatus(await ended.post('/sign-out'), 204);
  session('account session', (await signIn(service, account)).cookie);
  const first = { username: 'beginner', group: 'reseller', password: testPassword };
  expectStatus(await admin.post('/api/admin/v1/accounts', first), 201);
  session('first session', setCookieOf(await signInAnswer(service.address, first)));
  for (const role of ['viewer', 'staff'] as const)
    session(`${role} session`, (await addPerson(service, account, role)).panel.cookie);
  for (const role of ['viewer', 'support', 'finance'] as const)
    session(`operator ${role} session`, (await addPerson(service, admin, role)).panel.cookie);
  const removed = await addPerson(service, account, 'viewer');
  session('removed session', removed.panel.cookie);
  expectStatus(await admin.send('DELETE', `${peoplePath(account)}/${removed.id}`), 200);
  service.clock.seconds += clockOfNow;
  return callers;
}

async function tidy({ admin }: TestService): Promise<void> {
  const base = '/api/admin/v1';
  expectStatus(await admin.send('DELETE', `${base}/product`), 200);
  const brand = { name: null, colour: null, letterhead: [], support_address: null, language: 'en' };
  expectStatus(await admin.send('PUT', `${base}/brand`, brand), 200);
  expectStatus(await admin.send('DELETE', `${base}/brand/logo`), 200);
  const { data } = expectStatus(await admin.get(`${base}/webhooks`), 200);
  for (const { id } of data) expectStatus(await admin.send('DELETE', `${base}/webhooks/${id}`), 200);
}

type Made = string | number;

function createPlace(
  service: TestService,
  shared: ReadonlyMap<string, Record<string, string>>,
  freshName: () => string,
): Place {
  const { admin, address, packages } = service;
  const values = new Map<string, Promise<Made>>();
  const names = new Map<unknown, string>();
  let reseller: Promise<TestAccount> | undefined;
  let administrator: Promise<TestAccount> | undefined;
  let other: Place | undefined;
  const accountOf = () => (reseller ??= service.createReseller({ credit: '1000.00' }));
  const administratorOf = () => (administrator ??= createAdministrator(service));
  const ofOther = () => (other ??= createPlace(service, shared, freshName));

  const value = (name: string): Promise<Made> => {
    const known = values.get(name);
    if (known !== undefined) return known;
    const making = make(name);
    values.set(name, making);
    return making.then((made) => {
      names.set(made, `{${name}}`);
      return made;
    });
  };
  const id = async (name: string) => Number(await value(name));
  const orderOf = async (body: object = {}) => {
    const placed = await (await accountOf()).post('/orders', {
      package_id: packages.basic,
      customer: await value('buyer'),
      ...body,
    });
    return expectStatus(placed, 201);
  };
  const withProduct = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const product = {
      mode: 'confirm',
      url: 'https://product.example.com',
      secret: `whsec_${'A'.repeat(32)}`,
    };
    expectStatus(await admin.send('PUT', '/api/admin/v1/product', product), 200);
    const result = await work();
    expectStatus(await admin.send('DELETE', '/api/admin/v1/product'), 200);
    return result;
  };

  async function make(name: string): Promise<Made> {
    if (name.startsWith('other ')) return (await ofOther().fill(`{${name.slice(6)}}`)) as Made;
    const account = await accountOf();
    const accountPath = `/api/admin/v1/accounts/${account.id}`;
    switch (name) {
      case 'basic':
      case 'plus':
      case 'retired':
      case 'trial':
        return packages[name];
      case 'fresh':
      case 'buyer':
      case 'waiting':
        return freshName();
      case 'account':
        return account.id;
      case 'administrator':
        return (await administratorOf()).id;
      case 'username':
        return expectStatus(await admin.get(accountPath), 200).account.username;
      case 'order':
        return (await orderOf()).order.id;
      case 'customer': {
        const found = await account.get(`/orders/${await value('order')}`);
        return expectStatus(found, 200).order.customer.id;
      }
      case 'reference': {
        const found = await account.get(`/customers/${await id('customer')}`);
        return expectStatus(found, 200).customer.reference;
      }
      case 'pending':
        return withProduct(async () => (await orderOf({ customer: await value('waiting') })).order.id);
      case 'call':
        return `call_order_${await id('pending')}`;
      case 'entry':
        return expectStatus(await account.get('/ledger'), 200).data.at(-1).id;
      case 'webhook': {
        const made = await account.post('/webhooks', { url: 'https://shop.example.com/' });
        return expectStatus(made, 201).webhook.id;
      }
      case 'operator webhook': {
        const made = await admin.post('/api/admin/v1/webhooks', { url: 'https://shop.example.com/' });
        return expectStatus(made, 201).webhook.id;
      }
      case 'event':
        await value('webhook');
        await orderOf({ customer: freshName() });
        return expectStatus(await account.get('/events'), 200).data[0].id;
      case 'key': {
        const made = await admin.post(`${accountPath}/keys`, { name: 'Key' });
        return expectStatus(made, 201).key.id;
      }
      case 'first key':
        return expectStatus(await admin.get(`${accountPath}/keys`), 200).data[0].id;
      case 'test key value': {
        const made = await admin.post(`${accountPath}/keys`, { name: 'Tests', test: true });
        return expectStatus(made, 201).api_key;
      }
      case 'person': {
        const made = await admin.post(peoplePath(account), { username: freshName(), role: 'viewer' });
        return expectStatus(made, 201).person.id;
      }
      case 'colleague':
        return (await addPerson(service, account, 'viewer')).id;
      case 'owner':
        return expectStatus(await admin.get(peoplePath(account)), 200).data[0].id;
      case 'token':
        return tokenOf(await admin.post(peoplePath(account), { username: freshName(), role: 'viewer' }));
      case 'package': {
        const prices = { monthly: '1.00', quarterly: '2.00', yearly: '3.00' };
        const made = await admin.post('/api/admin/v1/packages', {
          name: 'Own',
          limits: { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 },
          prices: { reseller: prices, distributor: prices },
        });
        return expectStatus(made, 201).package.id;
      }
      case 'login': {
        const { login_url: link } = await orderOf({ customer: freshName(), return_login: true });
        return new URL(link).pathname.split('/').at(-1) ?? '';
      }
      case 'code': {
        const opened = await createApiClient(address, null).send('POST', `/login/${await value('login')}`);
        return new URL(opened.headers.get('location') ?? '').searchParams.get('code') ?? '';
      }
      case 'session id': {
        const listed = await createApiClient(address, null).get(
          '/panel/api/sessions',
          await headersOf('owner session'),
        );
        return expectStatus(listed, 200).data[0].id;
      }
      default:
        throw new Error(`The scene does not know what {${name}} is.`);
    }
  }

  const sessions = new Map<string, Promise<string>>();
  const cookieOf = (who: string, begin: () => Promise<string>) => {
    const known = sessions.get(who) ?? begin();
    sessions.set(who, known);
    return known;
  };

  async function headersOf(caller: string): Promise<Record<string, string>> {
    const known = shared.get(caller);
    if (known !== undefined) return { ...known };
    if (caller.startsWith('other ')) return ofOther().headersOf(caller.slice(6));
    switch (caller) {
      case 'owner key':
        return { authorization: `Bearer ${(await accountOf()).key}` };
      case 'test key':
        return { authorization: `Bearer ${await value('test key value')}` };
      case 'operator key':
        return { authorization: `Bearer ${(await administratorOf()).key}` };
      case 'owner session': {
        const cookie = await cookieOf(caller, async () => (await signIn(service, await accountOf())).cookie);
        return { ...ownPages, cookie };
      }
      case 'operator session': {
        const begin = async () => (await signIn(service, await administratorOf())).cookie;
        return { ...ownPages, cookie: await cookieOf(caller, begin) };
      }
      case 'operator viewing': {
        const headers = await headersOf('operator session');
        const account = String(await id('account'));
        const path = `/panel/api/admin/accounts/${account}/view`;
        const begun: Answer = await createApiClient(address, null).send('POST', path, undefined, headers);
        assert.ok(begun.status < 300, begun.text);
        return { ...headers, 'x-view-account': account };
      }
      case 'operator who looks elsewhere':
        return { ...(await headersOf('operator session')), 'x-view-account': '999999' };
      case 'session with codes': {
        const cookie = await cookieOf(caller, async () => {
          const panel = await signIn(service, await accountOf());
          await enableCodes({ clock: { ...service.clock } }, panel, testPassword);
          return panel.cookie;
        });
        return { ...ownPages, cookie };
      }
      case 'customer':
        return {
          cookie: await cookieOf(caller, async () => beginCustomerSession(address, await value('login'))),
        };
      default:
        throw new Error(`The scene does not know who "${caller}" is.`);
    }
  }

  return {
    async fill(text) {
      let filled = text;
      for (const [whole, quoted, name = ''] of text.matchAll(/("?)\{#?([a-z][a-z ]*)\}"?/g)) {
        const isNumber = whole.includes('{#');
        const made = String(await value(name));
        const token = isNumber ? `"{#${name}}"` : `{${name}}`;
        assert.ok(quoted !== undefined);
        filled = filled.replace(token, () => made);
      }
      return filled;
    },
    headersOf,
    nameOf(made) {
      const foreign = other?.nameOf(made) ?? made;
      return names.get(made) ?? (foreign === made ? made : String(foreign).replace('{', '{other '));
    },
  };
}

async function createAdministrator(service: TestService): Promise<TestAccount> {
  const account = await service.createReseller({ credit: '1000.00' });
  await makeAdministrator(service, account);
  await setTestPassword(service, account);
  return account;
}

async function beginCustomerSession(address: string, token: Made): Promise<string> {
  const opened = await createApiClient(address, null).send('POST', `/login/${token}`);
  return setCookieOf(opened);
}
