// The service's life as a process: its output as a person reads it, stops and restarts. kill.test.ts kills it.
// Invariant: nothing waits for a fixed time.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { briefFlags } from '../../scripts/brief-processes.ts';
import { type Answer, type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { freePort } from '../../scripts/throwaway/free-port.ts';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { readConfig } from '../../src/setup/config.ts';
import { errorMessageOf } from '../../src/setup/error-message.ts';
import { draftSecrets } from '../../src/setup/first-administrator-file.ts';
import { openDatabase } from '../../src/setup/open-database.ts';
import { childEnvironment, preloadAddress, programFile, sourceFile } from '../harness/child-environment.ts';
import { type CommandEnd, runCommand } from '../harness/command-process.ts';
import { isAnswering } from '../harness/is-answering.ts';
import { createPanelClient, setCookieOf, signInAnswer } from '../harness/panel-client.ts';
import { startTcpProxy } from '../harness/tcp-proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-life-'));
const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ServiceProcess {
  readonly address: string;
  readonly child: ChildProcess;
  readonly said: string;
  readonly ended: Promise<Ended>;
}

/** Starts the program in a folder without .env and without this process's settings. */
function run(
  args: readonly string[],
  environment: Record<string, string>,
  { cwd = folder, file = programFile('src/main.ts') } = {},
) {
  const child = spawn(process.execPath, [...briefFlags, file, ...args], {
    cwd,
    env: { ...childEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal, ...output });
    });
  });
  return { child, output, ended };
}

async function start(
  environment: Record<string, string>,
  args = ['--demo'],
  file?: string,
): Promise<ServiceProcess> {
  const { child, output, ended } = run(
    args,
    { PORT: '0', ...environment },
    file === undefined ? {} : { file },
  );
  let address: string | undefined;
  const over = ended.then(() => true as const);
  while (address === undefined) {
    // The welcome is written at once and ends with an empty line.
    [, address] = /listens at (\S+)\n[\s\S]*\n\n$/.exec(output.stderr) ?? [];
    if (address !== undefined) break;
    const isOver = await Promise.race([over, once(child.stderr ?? child, 'data').then(() => false)]);
    if (isOver) assert.fail(`the service did not start:\n${output.stderr}`);
  }
  return { address, child, said: output.stderr, ended };
}

/** With a terminal, a start prints the secrets that it generates. */
const watched = { NODE_OPTIONS: '--import=data:text/javascript,process.stderr.isTTY=true' };

async function stop({ child, ended }: ServiceProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
  child.kill(signal);
  return ended;
}

function eventsOf({ stdout }: Ended): readonly string[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
}

/** Expects a start to fail with one sentence, exit code 1 and nothing on standard output. */
async function refusedStart(environment: Record<string, string>, cwd = folder): Promise<string> {
  const { ended } = run([], { PORT: '0', ...environment }, { cwd });
  const { code, stdout, stderr } = await ended;
  const said = stderr.replace(/^Setting up the embedded database .*\n/, '');
  assert.match(said, /^sellthrough: [^\n]+\n$/, 'one line for people');
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  return said;
}

/** Like refusedStart, but in this process and only up to opening the database. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const error = await openDatabase(readConfig(environment), Math.floor(Date.now() / 1000)).then(
    ({ database }) => database.close().then(() => assert.fail('it would start')),
    (problem: unknown) => problem,
  );
  const sentence = errorMessageOf(error);
  assert.match(sentence, /^[^\n]+$/);
  return sentence;
}

function verify(environment: Record<string, string>): Promise<CommandEnd> {
  return runCommand(['verify', '--json'], { cwd: folder, environment });
}

function shown(said: string, name: string, section = ''): string {
  const from = said.indexOf(section);
  const [, value] = new RegExp(`^ {2}${name} +(\\S+)$`, 'm').exec(said.slice(from)) ?? [];
  assert.ok(from >= 0 && value !== undefined, `it shows ${section} ${name}:\n${said}`);
  return value;
}

const administratorSection = 'The first administrator';
const demoSection = 'The demo reseller';

/** A prepared folder, because initdb takes seconds. The administrator's key is from its first start. */
const template = join(folder, 'template');
let adminKey: string;

function copyOfTemplate(name: string): { DATA_DIR: string } {
  const dataDir = join(folder, name);
  cpSync(template, dataDir, { recursive: true });
  return { DATA_DIR: dataDir };
}

describe('the first start of all', () => {
  const dataDir = join(folder, 'first');
  let first: ServiceProcess;
  let secrets: string[];
  before(async () => {
    // This is what a start leaves that was killed at the worst moment: a database's marker file without the other files.
    const unfinished = join(dataDir, 'postgres.new');
    mkdirSync(unfinished, { recursive: true });
    writeFileSync(join(dataDir, 'sellthrough.lock'), '');
    writeFileSync(join(unfinished, 'PG_VERSION'), '18\n');
    writeFileSync(join(unfinished, 'pg_hba.conf'), '');
    first = await start({ DATA_DIR: dataDir, ...watched }, ['--demo'], sourceFile('src/main.ts'));
  });

  test('repairs what one before it left that was interrupted', () => {
    assert.match(first.said, /^Setting up the embedded database/);
    assert.deepEqual(
      readdirSync(dataDir).filter((name) => name.startsWith('postgres')),
      ['postgres'],
    );
  });

  test('shows address, username, password and key of the administrator, and they work', async () => {
    assert.match(first.address, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    assert.equal(shown(first.said, 'username', administratorSection), 'admin');
    const password = shown(first.said, 'password', administratorSection);
    assert.ok(password.length >= 12, password);
    adminKey = shown(first.said, 'API key', administratorSection);
    const accounts = await createApiClient(first.address, adminKey).get('/api/admin/v1/accounts');
    // The accounts of the demo's year come while the service answers.
    const ofStart = accounts.body.data.filter(({ username }: Record<string, string>) =>
      ['demo', 'admin'].includes(String(username)),
    );
    assert.deepEqual(
      ofStart.map(({ username, balance }: Record<string, string>) => [username, balance]),
      [
        ['demo', '500.00'],
        ['admin', '0.00'],
      ],
    );
    const demoKey = shown(first.said, 'API key', demoSection);
    const packages = await createApiClient(first.address, demoKey).get('/packages');
    assert.ok(packages.body.data.length >= 3);
    const [, demoPassword = ''] = /username demo, password (\S+) \(/.exec(first.said) ?? [];
    secrets = [password, adminKey, demoKey, demoPassword];
    for (const generated of [
      { username: 'admin', password },
      { username: 'demo', password: demoPassword },
    ]) {
      const signedIn = await signInAnswer(first.address, generated);
      assert.equal(signedIn.status, 200, signedIn.text);
      const me = await createPanelClient(first.address, setCookieOf(signedIn)).get('/me');
      assert.equal(me.body.must_change_password, true, 'it stood on a terminal');
    }
  });

  test('shows a line that places an order when it is pasted, and replays it when it is pasted twice', async () => {
    const [line = ''] = /^ {2}curl .*$/m.exec(first.said) ?? [];
    const pasted = paste(line);
    const placed = await pasted();
    assert.equal(placed.status, 201, placed.text);
    assert.equal(placed.body.balance, '491.00');
    assert.equal(placed.replayed, false);
    const again = await pasted();
    assert.equal(again.status, 201);
    assert.equal(again.replayed, true);
    assert.deepEqual(again.body, placed.body);
  });

  test('takes a payment at the press of a button, on a page that stands in for the provider', async () => {
    const demo = createApiClient(first.address, shown(first.said, 'API key', demoSection));
    const asked = await demo.post('/topups', { amount: '10.00', method: 'card' });
    assert.equal(asked.status, 201, asked.text);
    const { id, pay_url: page } = asked.body.topup;
    assert.ok(page.startsWith(`${first.address}/`), 'a forwarded port shows it too');
    assert.match(await (await fetch(page)).text(), /No money moves/);
    const pressed = await fetch(page, {
      method: 'POST',
      body: new URLSearchParams({ button: 'pay' }),
      redirect: 'manual',
    });
    assert.equal(pressed.headers.get('location'), `${first.address}/panel/top-ups/${id}?state=confirming`);
    while ((await demo.get(`/topups/${id}`)).body.topup.status !== 'paid') await pause(250);
    assert.equal((await demo.get('/balance')).body.balance, '501.00');
  });

  test('a second start on its folder ends with one sentence and harms nothing', async () => {
    const refused = await refusal({ DATA_DIR: dataDir });
    assert.match(refused, /in use by another Sellthrough \(process \d+\)/);
    assert.ok(refused.includes(String(first.child.pid)), 'it names the one that runs');
    const report = await verify({ DATA_DIR: dataDir });
    assert.equal(report.code, 1);
    assert.match(report.stderr, /^sellthrough: .*in use by another[^\n]*\n$/);
    const demo = createApiClient(first.address, shown(first.said, 'API key', demoSection));
    assert.equal((await demo.get('/balance')).body.balance, '501.00');
  });

  test('ends on SIGTERM with exit code 0, and its log holds none of the secrets', async () => {
    const ended = await stop(first);
    const { code, stdout } = ended;
    assert.equal(code, 0);
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines) assert.equal(JSON.parse(line).service, 'sellthrough');
    const events = eventsOf(ended);
    for (const event of ['listening', 'request', 'shutting down']) assert.ok(events.includes(event), event);
    for (const secret of secrets) assert.ok(!stdout.includes(secret), 'no secret is logged');
    cpSync(dataDir, template, { recursive: true });
  });

  test('a second start on its folder keeps every row and shows no password again', async () => {
    const second = await start({ DATA_DIR: dataDir, ...watched });
    assert.doesNotMatch(second.said, /^ +password|administrator|Setting up/im);
    const key = shown(second.said, 'API key', demoSection);
    assert.ok(secrets.includes(key), 'the demo has the key it had');
    const demo = createApiClient(second.address, key);
    assert.equal((await demo.get('/balance')).body.balance, '501.00', 'no second demo credit');
    assert.equal((await demo.post('/topups', { amount: '10.00', method: 'card' })).status, 201);
    const [line = ''] = /^ {2}curl .*$/m.exec(second.said) ?? [];
    assert.equal((await paste(line)()).replayed, true);
    assert.equal((await stop(second, 'SIGINT')).code, 0, 'Ctrl-C ends it as well');
    const { code, stdout } = await verify({ DATA_DIR: dataDir });
    assert.equal(code, 0);
    assert.partialDeepStrictEqual(JSON.parse(stdout), { ok: true, problems: [] });
  });

  test('a start without the demo removes its payment page and its bank account @nightly', async () => {
    const served = await start({ DATA_DIR: dataDir }, []);
    const demo = createApiClient(served.address, shown(first.said, 'API key', demoSection));
    const { body: shownTopups } = await demo.get('/topups?status=open');
    assert.equal(shownTopups.data.length, 1, 'the one of the former run');
    assert.equal((await fetch(`${served.address}/c/pay/cs_test_1`)).status, 404);
    for (const method of ['card', 'bank_transfer']) {
      const refused = await demo.post('/topups', { amount: '10.00', method });
      assert.equal(refused.body.error.code, 'payment_method_off', method);
    }
    assert.equal((await stop(served)).code, 0);
    const again = await start({ DATA_DIR: dataDir });
    assert.doesNotMatch(again.said, /stands in for Stripe/, 'what was removed stays so');
    assert.equal((await stop(again)).code, 0);
  });
});

test('on a terminal requests are logged only with LOG_REQUESTS=1; elsewhere unless it is 0 @nightly', async () => {
  const dataDir = join(folder, 'requests-logged');
  copyEmbeddedTemplate(dataDir);
  const terminal = { NODE_OPTIONS: watched.NODE_OPTIONS.replace('stderr', 'stdout') };
  for (const [environment, areLogged] of [
    [terminal, false],
    [{ ...terminal, LOG_REQUESTS: '1' }, true],
    [{ LOG_REQUESTS: '0' }, false],
  ] as const) {
    const service = await start({ DATA_DIR: dataDir, ...environment }, []);
    assert.equal(service.said.includes('LOG_REQUESTS=1 turns it on'), !areLogged);
    await fetch(`${service.address}/healthz`);
    const events = eventsOf(await stop(service));
    assert.equal(events.includes('request'), areLogged, events.join());
    assert.ok(events.includes('listening'), 'other events are logged everywhere');
  }
});

test('a start without a terminal keeps what it generates out of its output, also that of a demo', async () => {
  const dataDir = join(folder, "it's-unwatched");
  copyEmbeddedTemplate(dataDir);
  const open = { DATA_DIR: dataDir, HOST: '0.0.0.0' };
  const refused = await run(['--demo'], { PORT: '0', ...open }).ended;
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^sellthrough: A demo listens only on this machine, [^\n]* DEMO=1 [^\n]*\n$/);
  const started = await start({ ...open, DEMO: '1' });
  const [line = ''] = /^ {2}curl .*$/m.exec(started.said) ?? [];
  const demoFile = join(dataDir, 'demo-reseller.txt');
  const ofDemo = readFileSync(demoFile, 'utf8');
  assert.match(ofDemo, /^username {2}demo\npassword {2}\S{12,}\nAPI key {3}sk_live_\w+\n$/);
  const placed = await paste(line)();
  assert.equal(placed.status, 201, placed.text);
  const { stdout } = await stop(started);
  const file = join(dataDir, 'first-administrator.txt');
  assert.equal(shown(started.said, 'password', administratorSection), file);
  assert.equal(shown(started.said, 'API key', administratorSection), file);
  const text = readFileSync(file, 'utf8');
  const [, password = ''] =
    /^username {2}admin\npassword {2}(\S{12,})\nAPI key {3}sk_live_\w+\n$/.exec(text) ?? [];
  assert.ok(password !== '', text);
  for (const each of [file, demoFile]) assert.equal(statSync(each).mode & 0o777, 0o600, each);
  const again = await start({ DATA_DIR: dataDir });
  assert.equal(readFileSync(demoFile, 'utf8'), ofDemo);
  const [sameLine = ''] = /^ {2}curl .*$/m.exec(again.said) ?? [];
  assert.equal((await paste(sameLine)()).replayed, true);
  const written = [stdout, started.said, (await stop(again)).stdout, again.said].join();
  const [, demoPassword = ''] = /^password {2}(\S+)$/m.exec(ofDemo) ?? [];
  for (const secret of [password, demoPassword]) assert.ok(secret !== '' && !written.includes(secret));
  assert.doesNotMatch(written, /sk_live_/);
});

test('where those secrets cannot be written, nothing counts yet: the start ends with one sentence', () => {
  const first = { username: 'admin', password: 'a password', apiKey: null };
  assert.throws(() => draftSecrets(join(folder, 'no-such-folder', 'file.txt'), first), {
    name: 'ConfigProblem',
    message: /^[^\n]*file\.txt, but that failed \(ENOENT\)\. Set ADMIN_PASSWORD and ADMIN_API_KEY[^\n]*\.$/,
  });
});

describe('a configuration that is malformed ends the start with one sentence that names the variable', () => {
  const long = 'x'.repeat(32);
  const postgres = 'postgres://postgres@127.0.0.1:1/postgres';
  const table: readonly (readonly [variable: string, value: string, others?: Record<string, string>])[] = [
    ['PORT', 'abc'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['HOST', 'not a host'],
    ['CURRENCY', 'usd'],
    ['CURRENCY', 'DOLLAR'],
    ['SECRET_KEY', 'short'],
    ['SECRET_KEY', '', { DATABASE_URL: postgres }],
    ['DATABASE_URL', 'mysql://root@127.0.0.1/shop', { SECRET_KEY: long }],
    ['DATABASE_URL', 'not an address', { SECRET_KEY: long }],
    ['TRUST_PROXY', '10.0.0.1/8'],
    ['TRUST_PROXY', 'localhost'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['OUTBOUND_ALLOW', '10.0.0.1/8'],
    ['OUTBOUND_ALLOW', '10.0.0.0/8, example.com'],
    ['OUTBOUND_ALLOW', '0.0.0.0/0'],
    ['OUTBOUND_ALLOW', '::/0'],
    ['OUTBOUND_ALLOW', '::ffff:0:0/96'],
    ['LOG_LEVEL', 'loud'],
    ['DEMO', 'yes'],
    ['ALLOW_UNSAFE_DATABASE', 'true'],
    ['ADMIN_API_KEY', 'bad'],
    ['ADMIN_PASSWORD', 'short'],
    ['ADMIN_USERNAME', 'The Boss'],
    ['PUBLIC_URL', 'ftp://example.com'],
    ['PUBLIC_URL', 'example.com'],
    ['PRODUCT_URL', 'javascript:alert(1)'],
    ['LOGIN_LINK_MINUTES', '0'],
    ['LOGIN_LINK_MINUTES', 'soon'],
  ];
  for (const [variable, value, others] of table) {
    test(`${variable}=${value}`, () => {
      assert.throws(() => readConfig({ ...others, [variable]: value }), {
        name: 'ConfigProblem',
        message: new RegExp(`^[^\\n]*\\b${variable}\\b[^\\n]*\\.$`),
      });
    });
  }

  test('as a process, where it stands in .env: nothing is made, nothing else is said; the environment stands above .env', async () => {
    const cwd = join(folder, 'with-env');
    mkdirSync(cwd);
    writeFileSync(join(cwd, '.env'), 'PORT=abc\n');
    const dataDir = join(cwd, 'data');
    const { code, stdout, stderr } = await run([], { DATA_DIR: dataDir }, { cwd }).ended;
    assert.match(stderr, /^sellthrough: PORT must be .*"abc"\.\n$/);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(await refusedStart({ PORT: 'def', DATA_DIR: dataDir }, cwd), /\bPORT\b.*"def"/);
    assert.throws(() => readdirSync(dataDir), /ENOENT/);
  });

  test('a currency whose amounts have no two decimals: nothing is made', async () => {
    for (const [currency, reason] of [
      ['JPY', 'has no decimals'],
      ['XXX', 'is not a currency'],
    ] as const) {
      const dataDir = join(folder, `never-${currency}`);
      assert.match(await refusal({ DATA_DIR: dataDir, CURRENCY: currency }), new RegExp(reason));
      assert.throws(() => readdirSync(dataDir), /ENOENT/);
    }
  });

  test('a DATA_DIR that is a file', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    assert.match(await refusal({ DATA_DIR: file }), /DATA_DIR/);
  });
});

describe('SIGTERM', () => {
  test('under load: what was charged was answered, what was not answered was not charged; new connections are refused, and a request that is still arriving is answered', async (context) => {
    const environment = { ...copyOfTemplate('drained'), DEMO: '0' };
    const patient = preloadAddress('test/harness/patient-ending.ts');
    let service = await start({ ...environment, NODE_OPTIONS: `--import=${patient}` });
    assert.doesNotMatch(service.said, /demo|curl|API key/, 'DEMO=0 counts more than --demo');
    const shop = await openShop(createApiClient(service.address, adminKey), 2);
    const [late = ''] = shop.keys;
    const answered: { account: string; id: number | null }[] = [];
    let cut = 0;
    const { hostname, port } = new URL(service.address);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const body = JSON.stringify({ package_id: shop.packageId, customer: 'late' });
    socket.write(
      `POST /api/v1/orders HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${late}\r\nidempotency-key: late\r\n` +
        `content-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    // Requests are served in order on one thread, so after this answer the head above has been read.
    await (await fetch(`${service.address}/healthz`)).text();
    const stream = async (account: string, client: number) => {
      const api = createApiClient(service.address, account);
      for (let index = 0; ; index += 1) {
        let answer: Answer;
        try {
          answer = await order(api, shop.packageId, `drain-${client}-${index}`);
        } catch {
          cut += 1;
          return;
        }
        assert.equal(answer.status, 201, answer.text);
        answered.push({ account, id: answer.body.order.id });
        if (answered.length === 150) service.child.kill('SIGTERM');
      }
    };
    const clients = shop.keys.flatMap((key, index) =>
      Array.from({ length: 10 }, (_, n) => stream(key, index * 10 + n)),
    );
    await Promise.all(clients);
    while (await canConnect(Number(port), hostname)) await nextTurn();
    socket.write(body.slice(10));
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    assert.match(answer, /^HTTP\/1\.1 201 /);
    assert.match(answer, /^connection: close\r$/im);
    const { order: lateOrder } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    answered.push({ account: late, id: lateOrder.id });
    // The end does not wait for idle connections, which nothing else would close soon.
    const { code, signal, stdout } = await service.ended;
    assert.deepEqual({ code, signal }, { code: 0, signal: null });
    assert.match(stdout, /"msg":"shutting down"/);
    context.diagnostic(`${answered.length} answered, ${cut} connections were refused or closed`);
    service = await start(environment, []);
    await bookedOnce(service.address, shop.keys, answered);
    const orders = await createApiClient(service.address, late).get('/orders?limit=1');
    assert.equal(orders.body.data[0].customer.reference, 'late');
    const books = await createApiClient(service.address, adminKey).get('/api/admin/v1/verify');
    assert.deepEqual(books.body.problems, []);
    await stop(service);
  });
});

describe('a PostgreSQL server', () => {
  let postgres: ThrowawayPostgres;
  const secret = { SECRET_KEY: 'y'.repeat(32) };
  /** The settings of a fully prepared database. */
  let given: { DATABASE_URL: string; SECRET_KEY: string; CURRENCY: string };
  before(async () => {
    postgres = await startThrowawayPostgres();
    const url = new URL(postgres.url);
    url.pathname = '/given';
    given = { DATABASE_URL: url.href, ...secret, CURRENCY: 'EUR' };
  });
  after(() => postgres.remove());

  const query = async (text: string, connectionString = postgres.url) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  };

  test('a given administrator is created as given, and what was given is not shown; nothing is served before it and the demo are there', async () => {
    const administrator = { ADMIN_USERNAME: 'the.boss', ADMIN_PASSWORD: 'given-password-1' };
    const minted = await runCommand(['mint-key', '--json'], { cwd: folder });
    const { api_key: key } = JSON.parse(minted.stdout);
    await query('create database given');
    const weak = { PORT: '0', ...given, ...administrator, ADMIN_PASSWORD: 'Password2026' };
    const refused = await run([], weak).ended;
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^sellthrough: ADMIN_PASSWORD is one of the most used passwords[^\n]*\n$/);
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const starting = start({ ...given, ...administrator, ADMIN_API_KEY: key, PORT: String(port) });
    let isOver = false;
    const over = starting
      .catch(() => undefined)
      .finally(() => {
        isOver = true;
      });
    // It may begin to answer and end its start between a question and the assertion.
    for (let wasOver = isOver; !(await isAnswering(address)); wasOver = isOver)
      assert.ok(!wasOver, 'it starts');
    assert.equal((await fetch(`${address}/readyz`)).status, 200);
    const accounts = await createApiClient(address, key).get('/api/admin/v1/accounts');
    assert.equal(accounts.status, 200, accounts.text);
    const shownNames = accounts.body.data.map(({ username }: Record<string, string>) => username);
    assert.deepEqual(shownNames, ['demo', 'the.boss']);
    await over;
    const service = await starting;
    assert.equal(shown(service.said, 'username', administratorSection), 'the.boss');
    assert.doesNotMatch(service.said, /given-password-1|sk_live_/);
    const balance = await createApiClient(service.address, key).get('/balance');
    assert.deepEqual(balance.body, {
      balance: '0.00',
      currency: 'EUR',
      group: 'distributor',
      receivable: '0.00',
    });
    const { code, stdout } = await stop(service);
    assert.equal(code, 0);
    const { password } = new URL(postgres.url);
    assert.ok(!`${stdout}${service.said}`.includes(password), "the database's password is not shown");
    assert.doesNotMatch(stdout, /given-password-1|sk_live_/);
  });

  test('that belongs to another SECRET_KEY or CURRENCY is refused', async () => {
    const secret = await refusal({ ...given, SECRET_KEY: randomBytes(32).toString('hex') });
    assert.match(secret, /SECRET_KEY is not the one/);
    assert.match(await refusal({ ...given, CURRENCY: 'USD' }), /CURRENCY is USD.*holds EUR/);
  });

  const yen = { CURRENCY: 'JPY', ...secret };
  test('that is empty stays so where the currency is refused', async () => {
    await query('create database empty');
    const url = new URL(postgres.url);
    url.pathname = '/empty';
    assert.match(await refusal({ ...yen, DATABASE_URL: url.href }), /CURRENCY is JPY, which has no decimals/);
    assert.deepEqual(
      await query("select from pg_class where relnamespace = 'public'::regnamespace", url.href),
      [],
    );
  });

  test('a port that is taken, or an address that is not of this machine, ends the start with one sentence', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const quiet = { ...given, LOG_LEVEL: 'error' };
    assert.match(await refusedStart({ ...quiet, PORT: String(port) }), /port is in use.*PORT/);
    other.close();
    assert.match(await refusedStart({ ...quiet, HOST: '192.0.2.1' }), /HOST|192\.0\.2\.1/);
  });

  test('that has fsync off is refused, unless a setting allows it', async () => {
    const careless = { DATABASE_URL: postgres.url, ...secret };
    await whileOff('fsync', async () => {
      const said = await refusal(careless);
      assert.match(said, /fsync off and may lose acknowledged orders/);
      assert.match(said, /ALLOW_UNSAFE_DATABASE/);
      const config = readConfig({ ...given, ALLOW_UNSAFE_DATABASE: '1' });
      const { database } = await openDatabase(config, Math.floor(Date.now() / 1000));
      await database.close();
    });
  });

  for (const setting of ['synchronous_commit', 'full_page_writes']) {
    test(`that has ${setting} off is refused`, () =>
      whileOff(setting, async () => {
        const said = await refusal({ DATABASE_URL: postgres.url, ...secret });
        assert.match(said, new RegExp(`${setting} off and may lose`));
      }));
  }

  async function whileOff(setting: string, work: () => Promise<void>): Promise<void> {
    // Set it as an operator would: for the database, or in the server's configuration.
    if (setting === 'synchronous_commit') await query(`alter database postgres set ${setting} = off`);
    else await query(`alter system set ${setting} = off`);
    await query('select pg_reload_conf()');
    const off = async () => (await query(`show ${setting}`))[0]?.[setting] === 'off';
    while (!(await off())) await nextTurn();
    await work();
    await query(`alter database postgres reset ${setting}`).catch(() => undefined);
    await query(`alter system reset ${setting}`);
    await query('select pg_reload_conf()');
    while (await off()) await nextTurn();
  }

  test('that is away, or refuses the password, is reported in one sentence, without the password', async () => {
    const wrong = new URL(postgres.url);
    wrong.password = 'a-wrong-password';
    const refused = await refusal({ DATABASE_URL: wrong.href, ...secret });
    assert.match(refused, /database.*password authentication failed/i);
    assert.ok(!refused.includes('a-wrong-password'));
    const gone = await refusal({ DATABASE_URL: 'postgres://postgres@127.0.0.1:1/postgres', ...secret });
    assert.match(gone, /database cannot be reached/i);
  });

  test('that is newer than the program, or had a migration edited, is refused, and serves when it is mended, also a currency that is refused elsewhere @nightly', async () => {
    const change = (text: string) => query(text, given.DATABASE_URL);
    await change("insert into schema_migrations values (9999, '9999-future.sql', 'x', now())");
    assert.match(await refusal(given), /newer than this program.*9999-future\.sql/);
    await change('delete from schema_migrations where number = 9999');
    const [{ checksum } = { checksum: '' }] = await change(
      'select checksum from schema_migrations where number = 1',
    );
    await change("update schema_migrations set checksum = 'edited' where number = 1");
    assert.match(await refusal(given), /0001-orders\.sql was changed after it ran/);
    await change(`update schema_migrations set checksum = '${checksum}' where number = 1`);
    await change("update service_state set currency = 'JPY'");
    assert.equal((await stop(await start({ ...given, ...yen }, []))).code, 0);
    await change("update service_state set currency = 'EUR'");
  });

  // Each statement is the last moment before a step of the start. They are listed in order.
  for (const [step, statement] of [
    ['the migrations run', /^select pg_advisory_xact_lock/],
    ['the packages are read', /^select s\.packages_version/],
    ['it listens for changes', /\blisten \w+$/],
    ['the first administrator is sought', /^select id from accounts where is_admin/],
  ] as const) {
    test(`that goes away before ${step} ends the start with one sentence`, { timeout: 120_000 }, async () => {
      const proxy = await startTcpProxy(postgres.url);
      const happened = proxy.breakAt(statement, 'cut before', 'refusing');
      const { child, ended } = run([], { PORT: '0', ...given, DATABASE_URL: proxy.url('given') });
      try {
        await happened;
        const { code, stderr } = await ended;
        assert.equal(code, 1);
        assert.match(stderr, /^sellthrough: The database cannot be reached: [^\n]+\n$/);
      } finally {
        child.kill('SIGKILL');
        await proxy.close();
      }
    });
  }
});

function paste(
  line: string,
): () => Promise<{ status: number; body: Answer['body']; text: string; replayed: boolean }> {
  if (spawnSync('curl', ['--version']).status === 0 && spawnSync('sh', ['-c', 'true']).status === 0) {
    return async () => {
      const shell = spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'ignore'] });
      let text = '';
      for await (const chunk of shell.stdout) text += chunk;
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
      return { status, body: JSON.parse(body), text, replayed: /^idempotent-replayed: true$/im.test(head) };
    };
  }
  const [, quoted] = / '((?:[^']|'\\'')+)'\)"/.exec(line) ?? [];
  const file = quoted?.replaceAll("'\\''", "'");
  const [, kept] = file === undefined ? [] : (/^API key +(\S+)$/m.exec(readFileSync(file, 'utf8')) ?? []);
  const plain = line.replace(/"Authorization: Bearer \$\(.*\)"/, `'Authorization: Bearer ${kept}'`);
  const [, url = '', key = '', body = ''] =
    /^ {2}curl -i (\S+) -H '(.*)' -d '(.*)'$/.exec(plain)?.map((part) => part) ?? [];
  const headers = key.split("' -H '").map((header) => header.split(': ') as [string, string]);
  return async () => {
    const response = await fetch(url, { method: 'POST', headers, body });
    const text = await response.text();
    const replayed = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, body: JSON.parse(text), text, replayed };
  };
}

async function openShop(admin: ApiClient, accounts: number): Promise<{ keys: string[]; packageId: number }> {
  const prices = { monthly: '10.00', quarterly: '30.00', yearly: '120.00' };
  const made = await admin.post('/api/admin/v1/packages', {
    name: 'Basic',
    limits: {},
    prices: { reseller: prices, distributor: prices },
  });
  assert.equal(made.status, 201, made.text);
  const keys: string[] = [];
  for (let index = 0; index < accounts; index += 1) {
    const account = await admin.post('/api/admin/v1/accounts', {
      username: `reseller-${index}`,
      group: 'reseller',
      rate_limit_per_minute: 1_000_000,
    });
    assert.equal(account.status, 201, account.text);
    keys.push(account.body.api_key);
    const { id } = account.body.account;
    const credited = await admin.post(`/api/admin/v1/accounts/${id}/credit`, { amount: shopCredit });
    assert.equal(credited.status, 201, credited.text);
  }
  return { keys, packageId: made.body.package.id };
}

const shopCredit = '100000.00';

function order(api: ApiClient, packageId: number, key: string): Promise<Answer> {
  return api.post('/orders', { package_id: packageId, customer: key }, { 'idempotency-key': key });
}

async function bookedOnce(
  address: string,
  keys: readonly string[],
  orders: Iterable<{ account: string; id: number | null }>,
): Promise<void> {
  const all = [...orders];
  for (const account of keys) {
    const api = createApiClient(address, account);
    const own = new Set(all.filter((one) => one.account === account).map(({ id }) => id));
    const { total } = (await api.get('/orders?limit=1')).body;
    assert.equal(total, own.size, 'as many orders as were answered');
    const { balance } = (await api.get('/balance')).body;
    assert.equal(balance, `${Number.parseInt(shopCredit, 10) - 10 * own.size}.00`);
  }
}

function canConnect(port: number, hostname: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, hostname);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
