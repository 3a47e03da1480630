// The examples in test mode. UPDATE_EXAMPLES=1 rewrites examples/output/, which their output must equal.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { installPhpClient, pythonClientEnvironment } from '../harness/client-driver.ts';
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts';
import { startHostileServer } from '../harness/hostile-server.ts';
import { signIn } from '../harness/panel-client.ts';
import { expectStatus } from '../harness/refusals.ts';
import { type ProgramRun, runProgram } from '../harness/run-program.ts';
import { advance, testModeOf } from '../harness/test-mode.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const examples = join(root, 'examples');
const folder = mkdtempSync(join(tmpdir(), 'sellthrough-examples-'));
const updates = process.env['UPDATE_EXAMPLES'] === '1';

const names = ['curl', 'typescript', 'python', 'nightly', 'books', 'cut', 'php'] as const;
let service: TestService;
let proxy: CuttingProxy;
/** Each example uses another account's tests. All are created, so that ids do not depend on skipped examples. */
let tests: Record<(typeof names)[number], TestAccount>;
let bookkeeper: TestAccount;

before(async () => {
  service = await startTestService();
  proxy = await startCuttingProxy(service.address);
  const made: [string, TestAccount][] = [];
  for (const name of names) {
    const reseller = await service.createReseller();
    if (name === 'books') bookkeeper = reseller;
    made.push([name, await testModeOf(service, reseller)]);
  }
  tests = Object.fromEntries(made) as typeof tests;
  cpSync(examples, folder, { recursive: true });
  // sdk-package.test.ts installs it as its users do.
  mkdirSync(join(folder, 'node_modules', '@sellthrough'), { recursive: true });
  symlinkSync(join(root, 'sdk'), join(folder, 'node_modules', '@sellthrough', 'client'), 'junction');
  installPhpClient(folder);
});
after(async () => {
  await proxy.close();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const node = process.execPath;
const python = firstThatRuns(
  ['python3', 'python'],
  ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'],
);
const php8 = firstThatRuns(['php'], ['-r', 'exit(PHP_VERSION_ID >= 80100 ? 0 : 1);']);
const curl = firstThatRuns(['curl'], ['--version']);
const without = (program: string | null, name: string) => ({
  skip: program === null ? `${name} is not installed here` : false,
});

function firstThatRuns(programs: readonly string[], args: readonly string[]): string | null {
  return programs.find((program) => spawnSync(program, args).status === 0) ?? null;
}

function runExample(
  program: string,
  args: readonly string[],
  { key }: TestAccount,
  environment: Readonly<Record<string, string>> = {},
): Promise<ProgramRun> {
  return runProgram(program, args, {
    cwd: folder,
    environment: {
      SELLTHROUGH_URL: service.address,
      SELLTHROUGH_KEY: key,
      SELLTHROUGH_ADMIN_KEY: '',
      NODE_NO_WARNINGS: '1',
      ...pythonClientEnvironment,
      ...environment,
    },
  });
}

function transcript(command: string, { code, stdout, stderr }: ProgramRun): string {
  const text = `$ ${command}\n${stdout}${stderr}exit ${code}\n`;
  return text
    .replaceAll(service.address, 'https://sell.example.com')
    .replaceAll(/\/login\/[\w-]{43}/g, '/login/<token>');
}

function holdAgainst(file: string, text: string): void {
  const path = join(examples, 'output', file);
  if (updates) writeFileSync(path, text);
  assert.equal(text, readFileSync(path, 'utf8'), `what examples/output/${file} says`);
}

const balanceOf = async (account: TestAccount): Promise<string> =>
  (await account.get('/balance')).body.balance;

type Purchase = readonly [packageId: number, months: number];

/** Spends part of the 1000.00 on plans that end in three months or later. */
async function spend(account: TestAccount, purchases: readonly Purchase[]): Promise<void> {
  for (const [index, [package_id, months]] of purchases.entries()) {
    const body = { package_id, months, customer: `spent-${account.id}-${index}` };
    expectStatus(await account.post('/orders', body), 201);
  }
}

describe('the first order', () => {
  const programs = [
    ['curl', curl, 'sh', 'first-order.sh'],
    ['typescript', node, node, 'first-order.ts'],
    ['python', python, python, 'first_order.py'],
    ['php', php8, php8, 'first-order.php'],
  ] as const;
  for (const [name, needed, program, file] of programs) {
    test(`with ${name}, twice with one key, is charged once`, without(needed, name), async () => {
      const shown = `${{ curl: 'sh', typescript: 'node', python: 'python3', php: 'php' }[name]} ${file} ada-${name}@example.com`;
      const run = await runExample(program ?? '', [file, `ada-${name}@example.com`], tests[name]);
      holdAgainst(`first-order-${name}.txt`, transcript(shown, run));
      assert.equal(await balanceOf(tests[name]), '990.00');
    });

    test(`with ${name}, over connections that are cut, is charged once`, without(needed, name), async () => {
      const before = Number(await balanceOf(tests.cut));
      proxy.cutAnswers(2, 'middle');
      const cuts = proxy.cuts();
      const environment = { SELLTHROUGH_URL: proxy.address };
      const run = await runExample(program ?? '', [file, `cut-${name}@example.com`], tests.cut, environment);
      assert.equal(run.code, 0, run.stdout + run.stderr);
      assert.equal(proxy.cuts() - cuts, 2);
      assert.equal(Number(await balanceOf(tests.cut)), before - 10);
    });
  }

  for (const [name, needed, program, file] of programs.slice(1)) {
    test(`with ${name}, without the credit for it, says so`, without(needed, name), async () => {
      const poor = await testModeOf(service, await service.createReseller());
      const { plus } = service.packages;
      await spend(poor, Array<Purchase>(4).fill([plus, 12]));
      const { code, stderr } = await runExample(program ?? '', [file, `poor-${name}`], poor);
      assert.equal(code, 1);
      assert.match(stderr, /The balance is 0\.00, the order needs 10\.00\./);
    });
  }
});

test(
  'the function of the guide to retries asks until it is answered, and is charged once @nightly',
  without(python, 'python'),
  async () => {
    const guide = readFileSync(join(root, 'docs', 'idempotency.md'), 'utf8');
    const [, code = ''] = /^```python\n([\s\S]*?)^```$/m.exec(guide) ?? [];
    const server = await startHostileServer();
    server.treat(
      'half body',
      'html 502',
      '504 gateway_timeout',
      '503 x, retry after 1',
      'html 200',
      'answer',
    );
    const run = await runProgram(python ?? '', ['-c', `import time; time.sleep = lambda _: None\n${code}`], {
      cwd: folder,
      environment: { SELLTHROUGH_URL: server.address, SELLTHROUGH_KEY: 'key' },
    });
    await server.close();
    assert.match(run.stdout, /'balance': '1\.00'/, run.stderr);
    assert.deepEqual([server.requests.length, server.charges()], [6, 1]);
  },
);

test(
  'a renewal without a body is taken from PHP as the conventions write it',
  without(php8, 'php'),
  async () => {
    const conventions = readFileSync(join(root, 'docs', 'reference', 'conventions.md'), 'utf8');
    const written = [...conventions.matchAll(/`(json_encode\(.*?\))`/g)].map(([, code = '']) => code);
    assert.equal(written.length, 2, 'what to write, and what not');
    const account = await testModeOf(service, await service.createReseller());
    const { order } = (
      await account.post('/orders', { package_id: service.packages.basic, customer: 'empty-php' })
    ).body;
    const statuses = [];
    for (const code of written) {
      const { stdout } = await runExample(php8 ?? '', ['-r', `echo ${code};`], account);
      const answer = await fetch(`${service.address}/api/v1/orders/${order.id}/renew`, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.key}` },
        body: stdout,
      });
      statuses.push(answer.status);
    }
    assert.deepEqual(statuses, [201, 400]);
  },
);

test('one’s own books are held against the ledger', without(python, 'python'), async () => {
  const account = tests.books;
  const order = (key: string, body: object) => account.post('/orders', body, { 'idempotency-key': key });
  const { basic, plus } = service.packages;
  await order('invoice-1', { package_id: basic, customer: 'books-1' });
  await order('invoice-2', { package_id: basic, customer: 'books-2' });
  await order('invoice-3', { package_id: plus, customer: 'books-1' });
  await order('invoice-4', { package_id: basic, customer: 'books-4' });
  expectStatus(await account.post('/test/credit', { amount: '100.00', memo: 'transfer 1' }), 201);
  const panel = await signIn(service, bookkeeper);
  const exported = await panel.get('/v1/ledger?format=csv', { 'sellthrough-mode': 'test' });
  writeFileSync(join(folder, 'ledger.csv'), exported.text);
  // The clock stands still, so all of the 10.00 came back when the plan was replaced.
  const refund = (await account.get('/orders')).body.data[1].refund;
  assert.equal(refund, '10.00');
  const good = [
    'top-up,the credit of every test,1000.00',
    'top-up,transfer 1,100.00',
    'order,invoice-1,10.00',
    'order,invoice-2,10.00',
    'order,invoice-3,15.00',
  ];
  const books = (lines: readonly string[]) =>
    writeFileSync(join(folder, 'books.csv'), ['kind,name,amount', ...lines, ''].join('\n'));
  const run = async () =>
    transcript(
      'python3 reconcile.py books.csv ledger.csv',
      await runExample(python ?? '', ['reconcile.py', 'books.csv', 'ledger.csv'], account),
    );

  books([...good, 'order,invoice-4,10.00']);
  const clean = await run();
  books([...good.slice(0, 4), 'order,invoice-3,25.00', 'order,invoice-9,10.00', 'top-up,transfer 2,50.00']);
  holdAgainst('reconcile.txt', `${clean}\n${await run()}`);
});

test('the nightly renewal renews once, and stops truthfully where the balance ends', async () => {
  const account = tests.nightly;
  const { basic, plus } = service.packages;
  await spend(account, [...Array<Purchase>(3).fill([plus, 12]), [basic, 12], [basic, 3], [basic, 3]]);
  const customers = ['bob@example.com', 'carol', 'dave@example.com', 'erin'];
  for (const [index, customer] of customers.entries()) {
    await advance(account, 'PT1M');
    const package_id = index === 1 ? plus : basic;
    expectStatus(await account.post('/orders', { package_id, customer }), 201);
  }
  await advance(account, 'P29D');

  const shown = 'node renew-expiring.ts 3';
  const run = async () => transcript(shown, await runExample(node, ['renew-expiring.ts', '3'], account));
  assert.equal(await balanceOf(account), '45.00');
  const first = await run();
  assert.equal(await balanceOf(account), '0.00');
  const second = await run();
  assert.equal(await balanceOf(account), '0.00', 'a second run charges nothing');
  expectStatus(await account.post('/test/credit', { amount: '30.00' }), 201);
  proxy.cutAnswers(3, 'before');
  const environment = { SELLTHROUGH_URL: proxy.address };
  const both = await Promise.all([
    runExample(node, ['renew-expiring.ts', '3'], account, environment),
    runExample(node, ['renew-expiring.ts', '3'], account, environment),
  ]);
  assert.deepEqual(
    both.map(({ code }) => code),
    [0, 0],
    both.map(({ stdout, stderr }) => stdout + stderr).join('\n'),
  );
  assert.equal(await balanceOf(account), '20.00', 'erin alone was left, and is charged once');
  holdAgainst('renew-expiring.txt', `${first}\n${second}\nAfter a top-up:\n\n${await run()}`);
});

// Only the operator gives trials, and test mode has no operator.
test('the nightly renewal leaves a trial alone and says so @nightly', async () => {
  // A live key has no test clock, so the program uses the time of this machine.
  service.clock.seconds = Math.floor(Date.now() / 1000);
  const reseller = await service.createReseller();
  const trial = { package_id: service.packages.trial, customer: 'grace' };
  expectStatus(await service.admin.post(`/api/admin/v1/accounts/${reseller.id}/trials`, trial), 201);
  const { code, stdout } = await runExample(node, ['renew-expiring.ts', '14'], reseller);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^1 plans end within 14 days\nnot renewed: grace: a trial, there is no order to renew$/m,
  );
});
