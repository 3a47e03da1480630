// Every command as a process: output, exit codes, and that no other user of the machine can see a secret.

import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseEnv } from 'node:util';
import { freePort } from '../../scripts/throwaway/free-port.ts';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { createApiKeyCache } from '../../src/features/auth/api-key-cache.ts';
import { listKeys } from '../../src/features/identity/api-key-rows.ts';
import { findCredentials } from '../../src/features/identity/find-people.ts';
import { rfReference } from '../../src/features/payments/bank/rf-reference.ts';
import { isRightPassword } from '../../src/platform/secrets/password-hash.ts';
import { readConfig } from '../../src/setup/config.ts';
import { openDatabase } from '../../src/setup/open-database.ts';
import { assertRefused, runCommand, runForJson, startCommand } from '../harness/command-process.ts';
import { startCuttingProxy } from '../harness/cutting-proxy.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-commands-'));
let address: string;
let service: ReturnType<typeof startCommand>;
let settings: NodeJS.Dict<string>;
let resellerKey: string;

/** The administrator's commands read the key and all other settings from .env. */
const admin = () => ({ cwd: folder, environment: { SELLTHROUGH_URL: address } });
const reseller = () => ({
  cwd: folder,
  environment: { SELLTHROUGH_URL: address, SELLTHROUGH_KEY: resellerKey },
});

before(async () => {
  const made = await runForJson(['init'], { cwd: folder, environment: { PORT: '0', LOG_LEVEL: 'silent' } });
  assert.deepEqual(made.taken_over, ['PORT', 'LOG_LEVEL']);
  settings = parseEnv(readFileSync(join(folder, '.env'), 'utf8'));
  copyEmbeddedTemplate(join(folder, 'data'));
  // Nothing listens at this address, so mail stays in the outbox.
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Acme <billing@example.com>' };
  const environment = { OUTBOUND_ALLOW: '127.0.0.0/8', ...mail };
  service = startCommand(['serve'], { cwd: folder, environment });
  let said = '';
  service.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  while (!/listens at \S+\n/.test(said)) {
    assert.equal(service.exitCode, null, said);
    await once(service.stderr ?? service, 'data');
  }
  address = /listens at (\S+)\n/.exec(said)?.[1] ?? '';
  const created = await runForJson(['account', 'create', 'acme', '--name', 'Acme GmbH'], admin());
  resellerKey = created.api_key;
});
after(() => {
  service?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('init', () => {
  test('writes every variable into a file that only its owner may read', () => {
    assert.equal(statSync(join(folder, '.env')).mode & 0o777, 0o600);
    assert.deepEqual(Object.keys(settings).sort(), [
      'ADMIN_API_KEY',
      'ADMIN_PASSWORD',
      'LOG_LEVEL',
      'PORT',
      'SECRET_KEY',
    ]);
  });

  test('makes new secrets each time, prints none of them, and never touches a file that is there', async () => {
    const cwd = join(folder, 'another');
    mkdirSync(cwd);
    const { stdout, stderr } = await runCommand(['init'], { cwd });
    const text = readFileSync(join(cwd, '.env'), 'utf8');
    for (const name of ['SECRET_KEY', 'ADMIN_PASSWORD', 'ADMIN_API_KEY']) {
      const secret = parseEnv(text)[name];
      assert.ok(secret !== undefined && secret.length >= 16 && secret !== settings[name]);
      assert.ok(!`${stdout}${stderr}`.includes(secret));
    }
    assertRefused(await runCommand(['init'], { cwd }), 1, /\.env already exists and was not changed/);
    assert.equal(readFileSync(join(cwd, '.env'), 'utf8'), text);
  });

  test('writes no value that the service would refuse', async () => {
    const cwd = join(folder, 'refused');
    mkdirSync(cwd);
    assertRefused(await runCommand(['init'], { cwd, environment: { PORT: 'abc' } }), 1, /PORT must be/);
    const weak = { ADMIN_PASSWORD: 'admin-1234567' };
    assertRefused(
      await runCommand(['init'], { cwd, environment: weak }),
      1,
      /ADMIN_PASSWORD must not contain/,
    );
    assert.deepEqual(readdirSync(cwd), []);
  });

  test('takes values over as they are, spaces and signs included', async () => {
    const cwd = join(folder, 'odd');
    mkdirSync(cwd);
    const environment = {
      SECRET_KEY: 'a secret with # and "quotes" and spaces',
      PRODUCT_URL: 'https://x.example/?a=1',
    };
    await runForJson(['init'], { cwd, environment });
    const kept = parseEnv(readFileSync(join(cwd, '.env'), 'utf8'));
    assert.deepEqual([kept['SECRET_KEY'], kept['PRODUCT_URL']], Object.values(environment));
  });
});

describe('accounts', () => {
  test('are found by username and by id, listed and shown', async () => {
    const shown = await runForJson(['account', 'show', 'acme'], admin());
    assert.deepEqual([shown.username, shown.display_name, shown.group], ['acme', 'Acme GmbH', 'reseller']);
    assert.deepEqual(await runForJson(['account', 'show', String(shown.id)], admin()), shown);
    const list = await runForJson(['account', 'list', '--search', 'acm'], admin());
    assert.deepEqual([list.total, list.data], [1, [shown]]);
    assertRefused(await runCommand(['account', 'show', 'no-such'], admin()), 3, /no account "no-such"/);
  });

  test('are credited once for one idempotency key, and debited by a negative amount', async () => {
    const args = [
      'account',
      'credit',
      'acme',
      '500.00',
      '--memo',
      'invoice 7',
      '--idempotency-key',
      'invoice-7',
    ];
    const first = await runForJson(args, admin());
    assert.deepEqual([first.balance, first.replayed, first.idempotency_key], ['500.00', false, 'invoice-7']);
    const second = await runForJson(args, admin());
    assert.deepEqual([second.balance, second.replayed], ['500.00', true]);
    const debit = await runForJson(['account', 'credit', 'acme', '-100.00'], admin());
    assert.deepEqual([debit.balance, debit.entry.kind], ['400.00', 'debit']);
    assert.match(debit.idempotency_key, /^cli_[\w-]{16}$/);
  });

  test('are blocked and let in again', async () => {
    await runForJson(['account', 'block', 'acme'], admin());
    assertRefused(
      await runCommand(['orders'], reseller()),
      3,
      /blocked\. .* \(account_blocked, request \S+\)/,
    );
    await runForJson(['account', 'unblock', 'acme'], admin());
    const ended = await runForJson(['account', 'end-sessions', 'acme'], admin());
    assert.deepEqual(ended, { ended: 0, username: 'acme' });
    await runForJson(['orders'], reseller());
  });

  test('are closed for good, and say so', async () => {
    await runForJson(['account', 'create', 'leaving', '--group', 'distributor'], admin());
    await runForJson(['account', 'credit', 'leaving', '12.50'], admin());
    const closing = ['account', 'close', 'leaving', '--memo', 'Transfer 12', '--idempotency-key', 'bye'];
    const asked = await runCommand([...closing, '--balance', 'paid_out'], admin());
    assert.deepEqual([asked.code, /needs --yes/.test(asked.stderr)], [2, true]);
    assert.equal((await runCommand(closing, admin())).code, 2, 'the balance is not guessed');
    const done = await runCommand([...closing, '--balance', 'paid_out', '--yes'], admin());
    assert.match(done.stdout, /^leaving is closed; 12\.50 USD left its balance \(idempotency key bye\)\.\n$/);
    const again = await runForJson([...closing, '--balance', 'paid_out', '--yes'], admin());
    assert.deepEqual([again.amount, again.replayed], ['12.50', true]);
    assert.match((await runCommand(['account', 'list', '--search', 'leaving'], admin())).stdout, / closed /);
    const refused = await runCommand(['account', 'unblock', 'leaving'], admin());
    assertRefused(refused, 3, /closed for good/);
  });

  test('of a group are listed without the administrators, who are listed by themselves', async () => {
    const listed = async (group: string) => {
      const { total, data } = await runForJson(['account', 'list', '--group', group], admin());
      const { stdout } = await runCommand(['account', 'list', '--group', group, '--all', '--json'], admin());
      assert.equal(stdout.split('\n').length - 1, total, 'page after page they are the same');
      return data.map(({ username }: { username: string }) => username);
    };
    await runForJson(['account', 'create', 'globex', '--group', 'distributor'], admin());
    assert.deepEqual(await listed('distributor'), ['globex', 'leaving']);
    assert.deepEqual(await listed('reseller'), ['acme']);
    assert.deepEqual(await listed('administrator'), ['admin']);
  });

  test('are invited by a mail instead of with a password', async () => {
    const invite = ['account', 'create', 'initech', '--invite'];
    const { stdout } = await runCommand([...invite, '--email', 'bill@example.com'], admin());
    assert.match(stdout, /^API key +sk_live_\S+\ninvited +bill@example\.com\nThe key is shown only now/m);
    assert.doesNotMatch(stdout, /password/);
    const { email } = await runForJson(
      ['account', 'edit', 'initech', '--email', 'peter@example.com'],
      admin(),
    );
    assert.equal(email, 'peter@example.com');
    assert.equal((await runForJson(['account', 'edit', 'initech', '--email', ''], admin())).email, undefined);
  });

  test('are edited: only what is given changes', async () => {
    const before = await runForJson(['account', 'show', 'acme'], admin());
    const edit = (...args: string[]) => runForJson(['account', 'edit', 'acme', ...args], admin());
    const limited = await edit('--rate-limit', '90', '--allow', '10.0.0.0/8', '--allow', '127.0.0.1');
    assert.deepEqual(limited, {
      ...before,
      rate_limit_per_minute: 90,
      allowed_ips: ['10.0.0.0/8', '127.0.0.1'],
    });
    const off = await edit('--api', 'off', '--group', 'distributor', '--name', 'Acme AG', '--allow-all');
    assert.deepEqual(off, {
      ...limited,
      api_enabled: false,
      group: 'distributor',
      display_name: 'Acme AG',
      allowed_ips: [],
    });
    assertRefused(await runCommand(['orders'], reseller()), 3, /api_disabled/);
    const { display_name: name, rate_limit_per_minute: limit } = before;
    const back = await edit('--api', 'on', '--group', 'reseller', '--name', name, '--rate-limit', `${limit}`);
    assert.deepEqual(back, before);
    assertRefused(await runCommand(['account', 'edit', 'acme'], admin()), 2, /Nothing to change/);
    assertRefused(
      await runCommand(['account', 'edit', 'acme', '--allow', '10.0.0.1/8'], admin()),
      3,
      /validation_failed/,
    );
  });

  test('keep their key where no one can say yes, and get a new one with --yes', async () => {
    assertRefused(await runCommand(['account', 'key', 'acme'], admin()), 2, /needs --yes/);
    await runForJson(['orders'], reseller());
    const { api_key: key } = await runForJson(['account', 'key', 'acme', '--yes'], admin());
    assertRefused(await runCommand(['orders'], reseller()), 3, /revoked_api_key/);
    resellerKey = key;
    await runForJson(['orders'], reseller());
  });
});

describe('people of an account', () => {
  const people = (...args: string[]) => runForJson(['people', ...args], admin());

  test('are invited, listed, changed and removed, by username or id', async () => {
    const { stdout } = await runCommand(
      ['people', 'invite', 'acme', 'grace', '--role', 'staff', '--email', 'grace@example.com'],
      admin(),
    );
    assert.match(stdout, /^link +http\S+\/panel\/reset-password#token=[\w-]{43}$/m);
    assert.match(stdout, /^status +invited$/m);
    const { data } = await people('list', 'acme');
    assert.deepEqual(
      data.map(({ username, role }: Record<string, unknown>) => [username, role]),
      [
        ['acme', 'owner'],
        ['grace', 'staff'],
      ],
    );
    const again = await people('invite', 'acme', 'grace', '--again');
    assert.ok(!stdout.includes(again.invitation.url), 'another link');
    const { person } = await people('change', 'acme', String(data[1].id), '--role', 'viewer', '--email', '');
    assert.deepEqual([person.role, person.email], ['viewer', undefined]);
    const listed = await runCommand(['people', 'list', 'acme'], admin());
    assert.match(listed.stdout, /^10000001 +grace +viewer +invited +off +never/m);
    assert.deepEqual(await people('remove', 'acme', 'grace'), { removed: true, username: 'grace' });
    assert.equal((await people('list', 'acme')).data.length, 1);
  });

  test('are refused with the reason', async () => {
    const run = (...args: string[]) => runCommand(['people', ...args], admin());
    assertRefused(await run('invite', 'acme', 'acme'), 3, /username_taken/);
    assertRefused(await run('invite', 'acme', 'grace', '--role', 'finance'), 3, /validation_failed/);
    assert.equal((await run('invite', 'acme', 'grace', '--role', 'king')).code, 2);
    assertRefused(await run('change', 'acme', 'acme'), 2, /Nothing to change/);
    assertRefused(await run('change', 'acme', 'acme', '--role', 'viewer'), 3, /last_owner/);
    assertRefused(await run('remove', 'acme', 'acme'), 3, /last_owner/);
    assertRefused(await run('remove', 'acme', 'no-such'), 3, /person_not_found/);
    assertRefused(await runCommand(['people', 'list', 'acme'], reseller()), 3, /forbidden/);
  });
});

describe('packages and orders', () => {
  let packageId: string;

  test('a package is created, edited, listed for both kinds of key, and retired', async () => {
    const prices = ['--reseller', '10,27.00,96.00', '--distributor', '8.00,21.00,72.00'];
    const made = await runForJson(
      ['package', 'create', 'Basic', ...prices, '--feature', 'One', '--feature', 'Two'],
      admin(),
    );
    assert.deepEqual([made.features, made.prices.reseller.monthly], [['One', 'Two'], '10.00']);
    packageId = String(made.id);
    const edited = await runForJson(
      ['package', 'edit', packageId, '--name', 'Plus', '--accounts', '7'],
      admin(),
    );
    assert.deepEqual([edited.name, edited.limits.accounts, edited.prices], ['Plus', 7, made.prices]);
    const own = await runForJson(['package', 'list'], reseller());
    assert.deepEqual([own.group, own.data[0].price], ['reseller', '10.00']);

    const terms = ['--periods', 'yearly,monthly', '--description', 'For teams.'];
    const restricted = await runForJson(['package', 'edit', packageId, ...terms], admin());
    assert.deepEqual([restricted.description, restricted.periods], ['For teams.', ['monthly', 'yearly']]);
    assert.match(await runCommand(['package', 'list'], admin()).then(({ stdout }) => stdout), / Plus .* – /);
    const wrong = await runCommand(['package', 'edit', packageId, '--periods', 'weekly'], admin());
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /some of monthly, quarterly and yearly/);
    const order = ['order', packageId, 'of-periods', '--months', '3'];
    assertRefused(
      await runCommand(order, reseller()),
      3,
      /sold for: monthly, yearly \(invalid_months, request [^)]+\)\.$/m,
    );
    const free = ['--periods', 'monthly,quarterly,yearly', '--description', ''];
    assert.equal((await runForJson(['package', 'edit', packageId, ...free], admin())).description, null);

    const old = await runForJson(['package', 'create', 'Old', ...prices], admin());
    assert.equal((await runForJson(['package', 'retire', String(old.id)], admin())).retired, true);
    assertRefused(
      await runCommand(['order', String(old.id), 'ada@example.com'], reseller()),
      3,
      /package_unavailable/,
    );
    const reopened = await runForJson(['package', 'edit', String(old.id), '--no-retired'], admin());
    assert.equal(reopened.retired, false);
    const all = await runForJson(['package', 'list'], admin());
    assert.deepEqual(
      all.data.map(({ name }: { name: string }) => name),
      ['Plus', 'Old'],
    );
    assertRefused(await runCommand(['package', 'edit', packageId], admin()), 2, /Nothing to change/);
  });

  test('prices are scheduled, listed, and deleted while they are to come; blanks stay as they are', async () => {
    const from = '9999-01-01T00:00:00Z';
    const schedule = ['package', 'schedule', packageId, '--from', from];
    const scheduled = await runForJson([...schedule, '--reseller', '11,,99.5'], admin());
    const wanted = {
      from,
      prices: { reseller: { monthly: '11.00', yearly: '99.50' } },
      existing_plans: 'new',
      begun: false,
    };
    assert.deepEqual(scheduled, wanted);
    const { data } = await runForJson(['package', 'prices', packageId], admin());
    assert.deepEqual(data, [wanted]);
    const shown = await runCommand(['package', 'prices', packageId], admin());
    assert.match(
      shown.stdout,
      /^FROM .*\n9999-01-01T00:00:00Z {2}to come +new +11\.00 +– +99\.50 +– +– +–$/m,
    );
    assertRefused(
      await runCommand([...schedule, '--reseller', '12,,'], admin()),
      3,
      /price_already_scheduled/,
    );
    assertRefused(await runCommand(schedule, admin()), 2, /Use --reseller or --distributor/);
    for (const prices of [',,', '1,2', '1,2,3,4', '1,x,']) {
      const { code, stderr } = await runCommand([...schedule, '--distributor', prices], admin());
      assert.deepEqual([code, /must be three amounts/.test(stderr)], [2, true], stderr);
    }
    const deleted = await runForJson(['package', 'unschedule', packageId, '--from', from], admin());
    assert.deepEqual(deleted, wanted);
    const none = await runCommand(['package', 'prices', packageId], admin());
    assert.equal(none.stdout, 'Nothing was scheduled.\n');
    const held = await runForJson([...schedule, '--reseller', '11,,', '--existing-plans', 'held'], admin());
    assert.equal(held.existing_plans, 'held');
    await runForJson(['package', 'unschedule', packageId, '--from', from], admin());
    const unknown = await runCommand([...schedule, '--reseller', '11,,', '--existing-plans', 'old'], admin());
    assert.deepEqual([unknown.code, /Allowed choices are new, held/.test(unknown.stderr)], [2, true]);
  });

  test('an account gets prices of its own, which are listed, replaced, and removed while they are to come', async () => {
    const run = (...args: string[]) => runForJson(['account-prices', ...args], admin());
    const own = [`${packageId}:monthly=8`, `${packageId}:yearly=80.00`].flatMap((price) => [
      '--price',
      price,
    ]);
    const [from, until] = ['9998-01-01T00:00:00Z', '9999-01-01T00:00:00Z'];
    const dates = ['--from', from, '--until', until];
    const list = await run('set', 'acme', ...own, '--percent-off', '12.50', ...dates, '--memo', 'Contract');
    assert.deepEqual([list.from, list.until, list.begun, list.memo], [from, until, false, 'Contract']);
    assert.deepEqual(list.prices, [{ package_id: Number(packageId), monthly: '8.00', yearly: '80.00' }]);
    assert.equal(list.percent_off, '12.50');
    const set = ['account-prices', 'set', 'acme'];
    const listed = await runCommand(['account-prices', 'list', 'acme'], admin());
    assert.match(
      listed.stdout,
      new RegExp(`to come +12\\.50 +${packageId}:monthly=8\\.00 ${packageId}:yearly=80\\.00 +Contract$`, 'm'),
    );
    assert.match(listed.stdout, /\n\nNow it pays the prices of its group, reseller\.\n$/);
    const another = await runCommand([...set, '--percent-off', '5', '--from', from], admin());
    assertRefused(another, 3, /price_already_scheduled/);
    const removed = await runCommand(['account-prices', 'remove', 'acme', `${list.id}`], admin());
    assert.equal(removed.stdout, `Price list ${list.id} is deleted. It would have begun at ${from}.\n`);

    const begun = await run('set', 'acme', '--percent-off', '10');
    const paid = await runCommand(['account-prices', 'list', 'acme'], admin());
    assert.match(paid.stdout, /^PACKAGE .*\nPlus +monthly +9\.00 +10\.00\nPlus +quarterly +24\.30 +27\.00$/m);
    const tooLate = await runCommand(['account-prices', 'remove', 'acme', `${begun.id}`], admin());
    assertRefused(tooLate, 3, /price_has_begun/);
    const back = await run('set', 'acme', '--group-prices');
    assert.deepEqual([back.prices, back.percent_off], [[], null]);
    assert.equal((await run('list', 'acme')).data.length, 2);
  });

  test('a price list that cannot be is not sent', async () => {
    const set = ['account-prices', 'set', 'acme'];
    for (const [sentence, ...args] of [
      [/Use --price, --percent-off or both/],
      [/Use --price, --percent-off or both/, '--percent-off', '5', '--group-prices'],
      [/--price 1:weekly=2: write package:period=price, /, '--price', '1:weekly=2'],
      [/write package:period=price, /, '--price', 'Plus:yearly=2'],
      [/write package:period=price, /, '--price', '1:yearly=2.005'],
      [/--price 1:yearly=3: this price is given twice/, '--price', '1:yearly=2', '--price', '1:yearly=3'],
    ] as const) {
      assertRefused(await runCommand([...set, ...args], admin()), 2, sentence);
    }
    assertRefused(await runCommand([...set, '--percent-off', '101'], admin()), 3, /validation_failed/);
    const unknown = await runCommand(['account-prices', 'list', 'no-such'], admin());
    assertRefused(unknown, 3, /account_not_found/);
  });

  test('an order is charged once for one idempotency key, and renewed', async () => {
    const args = [
      'order',
      packageId,
      'ada@example.com',
      '--name',
      'Ada',
      '--login-link',
      '--idempotency-key',
      'one',
    ];
    const first = await runForJson(args, reseller());
    assert.deepEqual([first.order.price, first.balance, first.replayed], ['10.00', '390.00', false]);
    assert.match(first.login_url, /\/login\/\S+$/);
    const second = await runForJson(args, reseller());
    assert.deepEqual([second.order, second.balance, second.replayed], [first.order, '390.00', true]);
    const renewed = await runForJson(['renew', String(first.order.id), '--months', '3'], reseller());
    assert.deepEqual([renewed.order.kind, renewed.order.months, renewed.balance], ['renew', 3, '363.00']);
    const other = await runCommand(
      ['order', packageId, 'ada@example.com', '--months', '12', '--idempotency-key', 'one'],
      reseller(),
    );
    assertRefused(other, 3, /Nothing was charged\. .* \(idempotency_conflict, request \S+\)/);
    const unsendable = await runCommand(
      ['order', packageId, 'eve', '--months', '12', '--idempotency-key', 'x y'],
      reseller(),
    );
    assertRefused(unsendable, 2, /\(invalid_idempotency_key\)/);
  });

  test('a refusal names what is missing', async () => {
    const dear = ['--reseller', '1000,1000,1000', '--distributor', '1,1,1'];
    const { id } = await runForJson(['package', 'create', 'Dear', ...dear], admin());
    const refused = await runCommand(['order', String(id), 'ada@example.com'], reseller());
    assertRefused(
      refused,
      3,
      /The balance is 363\.00 USD, but \d+\.\d\d USD is needed\. .* \(insufficient_credit, request \S+\)/,
    );
  });

  test('lists are pages or everything, one’s own or an account’s', async () => {
    const page = await runForJson(['orders', '--limit', '1', '--page', '2'], reseller());
    assert.deepEqual([page.total, page.page, page.per_page, page.data.length], [2, 2, 1, 1]);
    const { stdout } = await runCommand(['orders', '--all', '--json'], reseller());
    const all = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      all.map(({ kind }) => kind),
      ['renew', 'activate'],
    );
    assert.deepEqual(all[1], page.data[0]);
    assert.deepEqual((await runForJson(['orders', '--account', 'acme'], admin())).data, all);
    const customers = await runForJson(['customers'], reseller());
    assert.deepEqual(
      customers.data.map(({ name, reference }: Record<string, string>) => [name, reference]),
      [['Ada', 'ada@example.com']],
    );
    const table = await runCommand(['customers'], reseller());
    assert.match(table.stdout, /^ *CUSTOMER +REFERENCE +NAME .*\n *\d+ +ada@example\.com +Ada /);
    assert.deepEqual(await runForJson(['customers', '--account', 'acme'], admin()), customers);
    const ledger = await runForJson(['ledger', 'acme'], admin());
    assert.deepEqual(
      ledger.data.map(({ amount }: { amount: string }) => amount),
      ['-27.00', '-10.00', '-100.00', '500.00'],
    );
    assertRefused(await runCommand(['ledger', 'acme'], reseller()), 3, /forbidden/);
  });

  test('a customer is given a trial, suspended, and let in again', async () => {
    const { id } = await runForJson(['package', 'create', 'Try it', '--trial'], admin());
    const given = ['account', 'trial', 'acme', String(id), 'eve@example.com', '--name', 'Eve'];
    const eve = await runForJson(given, admin());
    assert.deepEqual([eve.name, eve.status, eve.plan.active], ['Eve', 'active', true]);
    await runForJson([...given, '--again', '--idempotency-key', 'eve-1'], admin());
    const changed = [...given, '--idempotency-key', 'eve-1'];
    assertRefused(await runCommand(changed, admin()), 3, /idempotency_conflict/);
    assertRefused(
      await runCommand(['account', 'trial', 'acme', packageId, 'ada@example.com'], admin()),
      3,
      /package_unavailable/,
    );
    const suspended = await runForJson(['customer', 'suspend', String(eve.id)], admin());
    assert.deepEqual(suspended, { ...eve, status: 'suspended', plan: { ...eve.plan, status: 'suspended' } });
    assert.deepEqual(await runForJson(['customer', 'resume', String(eve.id)], admin()), eve);
    assertRefused(await runCommand(['customer', 'suspend', '1'], admin()), 3, /customer_not_found/);
  });

  test('the audit log says who did what, newest first, and what changed', async () => {
    const log = await runForJson(['audit', '--limit', '2'], admin());
    assert.deepEqual(
      log.data.map(({ actor, action }: { actor: { username: string }; action: string }) => [
        actor.username,
        action,
      ]),
      [
        ['admin', 'customer.update'],
        ['admin', 'customer.update'],
      ],
    );
    const { stdout } = await runCommand(['audit', '--limit', '1'], admin());
    assert.match(stdout, /WHO +DID +TO +WHAT CHANGED\n/);
    assert.match(stdout, /status: suspended → active\n$/);
  });

  test('a table is aligned, money to the right, and fits the terminal it is shown on', async () => {
    const { stdout, stderr } = await runCommand(['ledger', 'acme'], admin());
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, 5);
    const end = (line: string, text: string) => line.indexOf(text) + text.length;
    const [head = '', newest = '', , , oldest = ''] = lines;
    assert.equal(end(newest, '-27.00'), end(head, 'AMOUNT'));
    assert.equal(end(oldest, ' 500.00'), end(head, 'AMOUNT'));
    assert.equal(stderr, '1 to 4 of 4\n');
    for (const width of [30, 60, 80]) {
      const narrow = await runCommand(['orders'], {
        ...reseller(),
        environment: { ...reseller().environment, COLUMNS: String(width) },
      });
      for (const line of narrow.stdout.split('\n')) assert.ok(line.length <= width || width < 40, line);
      assert.match(narrow.stdout, /27\.00/);
    }
  });

  test('a reseller’s customer is suspended and resumed, and their plan renews itself or is cancelled', async () => {
    const { data } = await runForJson(['customers', '--limit', '2'], reseller());
    const id = String(data.at(-1).id);
    const suspended = await runForJson(['suspend', id, '--reason', 'unpaid'], reseller());
    assert.deepEqual([suspended.status, suspended.plan.status], ['active', 'suspended']);
    const setting = ['--months', '3', '--max-charge', '27.00', '--hours-before', '48'];
    const set = await runForJson(['auto-renew', id, ...setting], reseller());
    assert.partialDeepStrictEqual(set.plan.auto_renew, { months: 3, max_charge: '27.00', hours_before: 48 });
    const atEnd = await runForJson(['cancel', id, '--at', 'period-end'], reseller());
    assert.deepEqual([atEnd.refund, atEnd.customer.plan.ends_at_period_end], ['0.00', true]);
    const { stdout } = await runCommand(['resume', id], reseller());
    assert.match(stdout, /\nruns +until \S+Z\nrenews itself +quarterly, for at most 27\.00, next at \S+Z\n$/);
    assert.equal((await runForJson(['auto-renew', id, '--off'], reseller())).plan.auto_renew, null);

    const args = ['cancel', id, '--at', 'now', '--idempotency-key', 'enough'];
    const first = await runForJson(args, reseller());
    assert.deepEqual([first.customer.plan.status, first.replayed], ['cancelled', false]);
    const again = await runCommand(args, reseller());
    const { refund, balance } = first;
    assert.match(again.stdout, new RegExp(`\\nrefund +${refund}\\nbalance +${balance}\\n`));
    assert.match(again.stdout, /This request was made before/);
    assertRefused(await runCommand(['suspend', '1'], reseller()), 3, /customer_not_found/);
  });

  test('an endpoint is made, tested, changed, given a new secret, sent things again and deleted', async () => {
    const receiver = await startWebhookReceiver();
    const at = receiver.at('/shop');
    const json = (...args: string[]) => runForJson(['webhooks', ...args], reseller());
    const { webhook, secret } = await json('create', at.url, '--types', 'balance.credited');
    assert.match(secret, /^whsec_/);
    const id = String(webhook.id);
    const tested = await json('test', id);
    assert.deepEqual([tested.delivered, tested.status], [true, 200]);
    at.answer = () => 500;
    assert.equal((await runCommand(['webhooks', 'test', id], reseller())).code, 5);
    at.answer = () => 200;
    await runForJson(['account', 'credit', 'acme', '1.00'], admin());
    await at.gets(3);
    const event = String(at.ids()[2]);
    await json('redeliver', id, '--event', event);
    await at.gets(4);
    await json('redeliver', id, '--since', event);
    await at.gets(5);
    assert.deepEqual(at.ids().slice(2).map(String), [event, event, event]);
    const off = await json('change', id, '--types', '', '--off');
    assert.deepEqual([off.webhook.types, off.webhook.enabled], [[], false]);
    assert.notEqual((await json('secret', id, '--overlap', '0')).secret, secret);
    const { stdout } = await runCommand(['webhooks', 'deliveries', id, '--status', 'delivered'], reseller());
    assert.match(stdout, /^AT +EVENT +TYPE +ATTEMPT +STATUS/);
    assert.deepEqual((await json('list')).data.length, 1);
    await json('delete', id);
    assert.match((await runCommand(['webhooks', 'list'], reseller())).stdout, /There is none/);
    const wrong = await runCommand(['webhooks', 'redeliver', id], reseller());
    assert.deepEqual([wrong.code, /--event or --since/.test(wrong.stderr)], [2, true]);
    assert.deepEqual((await runForJson(['webhooks', 'list', '--operator'], admin())).data, []);
    await receiver.close();
  });

  test('a key is made, narrowed, rotated with an overlap, listed and revoked', async () => {
    const json = (...args: string[]) => runForJson(['keys', ...args], admin());
    const { key, api_key } = await json('create', 'acme', 'Shop', '--scopes', 'balance:read,orders:write');
    const id = String(key.id);
    const using = (secret: string) => ({
      cwd: folder,
      environment: { SELLTHROUGH_URL: address, SELLTHROUGH_KEY: secret },
    });
    assert.equal((await runCommand(['customers'], using(api_key))).code, 3);
    const narrowed = await json(
      'change',
      'acme',
      id,
      '--allow',
      '127.0.0.1',
      '--allow',
      '::1',
      '--expires',
      '2099-01-01T00:00:00Z',
    );
    assert.deepEqual(narrowed.key.allowed_ips, ['127.0.0.1', '::1']);
    const { stdout } = await runCommand(['keys', 'rotate', 'acme', id, '--overlap', '2'], admin());
    assert.match(stdout, /^sk_live_\w{46}\nKeep it: it is not shown again\. The previous one works until 20/);
    const list = await runCommand(['keys', 'list', 'acme'], admin());
    assert.match(list.stdout, /^ *ID +NAME +KEY +STATE +SCOPES +LAST USED\n/);
    assert.match(
      list.stdout,
      new RegExp(`${id} +Shop .*active, earlier secret until .*balance:read orders:write`),
    );
    const all = await json('change', 'acme', id, '--all-scopes', '--allow-all', '--expires', 'never');
    assert.deepEqual([all.key.all_scopes, all.key.allowed_ips, all.key.expires_at], [true, [], null]);
    assert.equal((await runCommand(['customers'], using(api_key))).code, 0);
    assert.deepEqual(await json('revoke', 'acme', id), { deleted: true });
    assertRefused(await runCommand(['customers'], using(api_key)), 3, /revoked_api_key/);
    assertRefused(await runCommand(['keys', 'revoke', 'acme', id], admin()), 3, /key_not_found/);
    assert.equal((await runCommand(['keys', 'change', 'acme', id], admin())).code, 2);
    const wrong = await runCommand(['keys', 'create', 'acme', 'x', '--scopes', 'orders:delete'], admin());
    assertRefused(wrong, 3, /validation_failed/);
  });

  test('a test key reaches test mode alone: its clock is read and moved, its balance credited, and it begins again', async () => {
    const { key, api_key } = await runForJson(['keys', 'create', 'acme', 'Tests', '--test'], admin());
    assert.deepEqual([key.mode, api_key.slice(0, 8)], ['test', 'sk_test_']);
    const list = await runCommand(['keys', 'list', 'acme'], admin());
    assert.match(list.stdout, /First key +sk_live_…\w{4} /);
    assert.match(list.stdout, /Tests +sk_test_…\w{4} /);

    const tests = { cwd: folder, environment: { SELLTHROUGH_URL: address, SELLTHROUGH_KEY: api_key } };
    const json = (...args: string[]) => runForJson(['test', ...args], tests);
    const { clock } = await json('clock');
    assert.equal((await runCommand(['test', 'clock'], tests)).stdout, `${clock.now}\n`);
    const prices = ['--reseller', '10,27,96', '--distributor', '10,27,96'];
    const made = await runForJson(['package', 'create', 'Tried', ...prices], admin());
    await runForJson(['order', String(made.id), 'tests@example.com'], tests);
    const month = ['--advance', 'P1M', '--idempotency-key', 'a-month'];
    const moved = await json('clock', ...month);
    assert.deepEqual([moved.reached, moved.happened.ended, moved.replayed], [true, 1, false]);
    const again = await json('clock', ...month);
    assert.deepEqual([again.clock, again.replayed], [moved.clock, true], 'moved once for one key');
    const far = await runCommand(['test', 'clock', '--to', '2099-01-01T00:00:00Z'], tests);
    assertRefused(far, 3, /validation_failed/);
    const both = await runCommand(['test', 'clock', '--to', moved.clock.now, '--advance', 'P1D'], tests);
    assert.equal(both.code, 2);
    const { stdout } = await runCommand(['test', 'clock', '--to', moved.clock.now], tests);
    assert.match(stdout, /^clock +20\S+Z\nplans renewed +0\nrenewals refused +0\nplans ended +0\n/);

    const { balance } = await json('credit', '250.00', '--memo', 'more');
    assert.match(balance, /^12\d\d\.\d\d$/);
    const begun = await json('reset');
    assert.equal(begun.balance, '1000.00');
    assert.equal((await runForJson(['orders'], tests)).total, 0);
    assertRefused(await runCommand(['test', 'clock'], reseller()), 3, /test_mode_only/);
  });

  test('a reader that stops early ends the list without a word', async () => {
    const child = startCommand(['orders', '--all', '--json'], reseller());
    child.stdout?.destroy();
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await once(child, 'close');
    assert.equal(said, '');
  });
});

describe('the orders of a file', () => {
  let key: string;
  let packageId: number;
  const customer = () => ({ cwd: folder, environment: { SELLTHROUGH_URL: address, SELLTHROUGH_KEY: key } });
  const file = (name: string, ...lines: string[]) => {
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
    return ['bulk', name];
  };
  const counts = (outcome: Record<string, unknown>) =>
    ['orders', 'placed', 'replayed', 'failed', 'balance'].map((name) => outcome[name]);

  before(async () => {
    key = (await runForJson(['account', 'create', 'in-bulk', '--rate-limit', '3'], admin())).api_key;
    await runForJson(['account', 'credit', 'in-bulk', '900.00'], admin());
    const prices = ['--reseller', '10,27,96', '--distributor', '10,27,96'];
    packageId = (await runForJson(['package', 'create', 'In bulk', ...prices], admin())).id;
  });
  const forget = () => runForJson(['account', 'edit', 'in-bulk', '--rate-limit', '1000'], admin());

  test('are placed once, however often the file is sent; a run of another name places them again', async () => {
    await forget();
    const args = file(
      'orders.csv',
      '\uFEFFpackage_id;customer;customer_name;months',
      `${packageId};csv-1@example.com;"Smith; Ada";`,
      `${packageId};csv-2@example.com;;3`,
      `${packageId};csv-1@example.com;"Smith; Ada";`,
    );
    const first = await runForJson(args, customer());
    assert.deepEqual(counts(first), [3, 3, 0, 0, '853.00'], 'equal lines are orders of their own');
    assert.deepEqual(counts(await runForJson(args, customer())), [3, 0, 3, 0, '853.00']);
    const { stdout } = await runCommand(args, customer());
    assert.match(
      stdout,
      /^3 orders: 0 placed, 3 placed before, 0 failed\. Balance 853\.00\.\nAll of them were placed before/,
    );
    const listed = await runForJson(['customers'], customer());
    assert.deepEqual(listed.data.map(({ name }: { name: string }) => name).sort(), [
      'Smith; Ada',
      'csv-2@example.com',
    ]);
    assert.deepEqual(
      counts(await runForJson([...args, '--run', 'february'], customer())).slice(1, 4),
      [3, 0, 0],
    );
  });

  test('that are refused are written beside the file, to be mended and sent in its turn', async () => {
    const args = file(
      'mixed.jsonl',
      `{"package_id": ${packageId}, "customer": "jsonl-1"}`,
      '',
      '{"package_id": 4711, "customer": "jsonl-2", "idempotency_key": "own-key"}',
      '{"renew": "x"}',
    );
    const { code, stdout, stderr } = await runCommand(args, customer());
    assert.equal(code, 5, stderr);
    assert.match(
      stdout,
      /\n +3 +jsonl-2 +invalid_package +`package_id` must be the id of a package from GET \/packages\.\n/,
    );
    assert.match(stdout, /3 orders: 1 placed, 0 placed before, 2 failed/);
    const failed = join(folder, 'mixed.failed.jsonl');
    assert.equal(statSync(failed).mode & 0o777, 0o600);
    const lines = readFileSync(failed, 'utf8').trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line));
    assert.deepEqual(
      rows.map(({ line, error }) => [line, error]),
      [
        [3, 'invalid_package'],
        [4, 'validation_failed'],
      ],
    );
    const mended = file('mended.jsonl', JSON.stringify({ ...rows[0], package_id: packageId }));
    const done = await runForJson(mended, customer());
    assert.deepEqual(counts(done).slice(0, 4), [1, 1, 0, 0]);
    const { data } = await runForJson(['orders', '--limit', '1'], customer());
    assert.equal(data[0].idempotency_key, 'own-key');
  });

  test('that are refused are written as CSV without formulas, and are the same order when sent again', async () => {
    const args = file('hostile.csv', 'package_id,customer,customer_name', `4711,hostile-1,"Ada;=1+1"`);
    assert.equal((await runCommand(args, customer())).code, 5);
    const text = readFileSync(join(folder, 'hostile.failed.csv'), 'utf8');
    assert.match(text, /^4711,"hostile-1","Ada;'=1\+1","file_[\w-]+_1",2,"invalid_package",/m);
    const mended = file('mended.csv', ...text.trim().replace('\n4711,', `\n${packageId},`).split('\n'));
    assert.deepEqual(counts(await runForJson(mended, customer())).slice(0, 4), [1, 1, 0, 0]);
    const { data } = await runForJson(['customers', '--limit', '1'], customer());
    assert.equal(data[0].name, 'Ada;=1+1');
  });

  test('are sent in bulks that the rate limit admits, and wait for it', async () => {
    await runForJson(['account', 'edit', 'in-bulk', '--rate-limit', '2'], admin());
    // Ten orders count as one request, so 21 never fit. Smaller bulks must wait, because earlier requests count.
    const rows = Array.from({ length: 21 }, (_nothing, index) => `${packageId},limited-${index}`);
    const child = startCommand(file('limited.csv', 'package_id,customer', ...rows), customer());
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const closed = once(child, 'close');
    while (!/waiting \d+ s for the rate limit/.test(said)) {
      assert.equal(child.exitCode, null, said);
      await once(child.stderr ?? child, 'data');
    }
    child.kill('SIGTERM');
    await closed;
    // The run was interrupted halfway. Repeat it without a limit.
    await forget();
    const [orders, placed, replayed, failed] = counts(await runForJson(['bulk', 'limited.csv'], customer()));
    assert.deepEqual([orders, Number(placed) + Number(replayed), failed], [21, 21, 0]);
  });

  test('wait for a service that goes away in the middle, and stand once', async (context) => {
    await forget();
    const proxy = await startCuttingProxy(address);
    context.after(() => proxy.close());
    // More cuts than one call retries by itself.
    proxy.cutAnswers(6, 'before');
    const args = file('away.csv', 'package_id,customer', `${packageId},away-1`, `${packageId},away-2`);
    const environment = { ...customer().environment, SELLTHROUGH_URL: proxy.address };
    const { code, stdout, stderr } = await runCommand([...args, '--json'], { cwd: folder, environment });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /0 of 2, the service is away\n/);
    assert.equal(proxy.cuts(), 6);
    assert.deepEqual(
      counts(JSON.parse(stdout)).slice(0, 4),
      [2, 0, 2, 0],
      'the first of the lost answers placed them',
    );
  });

  test('renew what ends soon, by one filtered list, each end once', async () => {
    await forget();
    const rows = ['renewed-1,1', 'renewed-2,1', 'renewed-3,12'].map((row) => `${packageId},${row}`);
    await runForJson(file('to-renew.csv', 'package_id,customer,months', ...rows), customer());
    const named = file('by-name.csv', 'renew_customer,months', 'renewed-3,1', 'no-such,1');
    const byName = await runCommand([...named, '--json'], customer());
    assert.equal(byName.code, 5, byName.stderr);
    assert.deepEqual(counts(JSON.parse(byName.stdout)).slice(0, 4), [2, 1, 0, 1]);
    const ending = ['bulk', '--renew-ending', '40'];
    const first = await runForJson(ending, customer());
    assert.equal(first.failed, 0);
    assert.ok(first.placed >= 2, JSON.stringify(first));
    const again = await runForJson(ending, customer());
    assert.deepEqual(counts(again).slice(0, 4), [0, 0, 0, 0], 'what was renewed ends later');
    assertRefused(await runCommand(['bulk'], customer()), 2, /Name a file or use --renew-ending/);
  });

  test('are refused as a whole, before any is sent, where the file cannot be understood', async () => {
    const cases: readonly (readonly [args: readonly string[], code: number, sentence: RegExp])[] = [
      [
        file('typo.csv', 'package_id,customer,max_charges', '1,typo,5'),
        1,
        /Line 2: unknown field "max_charges"/,
      ],
      [file('short.csv', 'package_id,customer', '1,a', '1'), 1, /line 3/i],
      [file('broken.jsonl', '{}', '{"a"'), 1, /Line 2 is not JSON/],
      [file('list.jsonl', '[]'), 1, /Line 1 is not a JSON object/],
      [file('empty.csv', 'package_id,customer'), 1, /There are no orders in empty\.csv/],
      [file('orders.txt', '{}'), 2, /--format/],
      [['bulk', 'nowhere.csv'], 1, /nowhere\.csv cannot be read \(ENOENT\)/],
    ];
    for (const [args, code, sentence] of cases)
      assertRefused(await runCommand(args, customer()), code, sentence);
  });
});

describe('calls to the product', () => {
  let answer = 503;
  const product = createHttpServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(answer).end('{"error":"Down"}'));
  });
  let url: string;
  let packageId: string;
  let orders = 0;

  const service = (method: string, path: string, body?: object) =>
    fetch(`${address}/api/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${settings['ADMIN_API_KEY']}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
  async function connect(mode: 'notify' | 'confirm'): Promise<void> {
    const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
    assert.equal((await service('PUT', '/product', { mode, url, secret })).status, 200);
  }
  async function listed(status: string): Promise<string[]> {
    for (;;) {
      const { data } = await (await service('GET', `/product-calls?status=${status}`)).json();
      if (data.length > 0) return data.map(({ id }: { id: string }) => id);
    }
  }
  /** Waits until the call is done, because the order is settled before the answer is recorded. */
  async function untilTaken(order: number): Promise<void> {
    for (;;) {
      const { data } = await (await service('GET', `/product-calls?order_id=${order}`)).json();
      if (data[0]?.status === 'done' && data[0].last_status === 204) return;
    }
  }
  const run = (...args: string[]) => runForJson(['product', ...args], admin());
  const refused = (...args: string[]) => runCommand(['product', ...args], admin());
  const place = async () => {
    orders += 1;
    const { order } = await runForJson(['order', packageId, `called-${orders}`], reseller());
    assert.equal(order.status, 'pending');
    return order;
  };

  before(async () => {
    product.listen(0, '127.0.0.1');
    await once(product, 'listening');
    url = `http://127.0.0.1:${(product.address() as AddressInfo).port}/`;
    const prices = ['--reseller', '1,2,3', '--distributor', '1,2,3'];
    packageId = String((await runForJson(['package', 'create', 'Called', ...prices], admin())).id);
    await runForJson(['account', 'credit', 'acme', '20.00'], admin());
  });
  after(async () => {
    assert.equal((await service('DELETE', '/product')).status, 200);
    product.closeAllConnections();
    product.close();
  });

  test('are listed and shown with their attempts, and sent again', async () => {
    await connect('confirm');
    const { id } = await place();
    assert.deepEqual(await listed('failing'), [`call_order_${id}`]);
    const [{ stdout, stderr }, nothing] = await Promise.all([
      runCommand(['product', 'list', '--status', 'failing'], admin()),
      runCommand(['product', 'list'], admin()),
    ]);
    const line = `^call_order_${id} +plan\\.activate +acme +called-${orders} +${id} +[12] +503 +\\S+ \\S+$`;
    assert.match(stdout, new RegExp(line, 'm'));
    assert.equal(stderr, '1 in total\n');
    assert.deepEqual([nothing.stdout, nothing.stderr], ['', '0 in total\n']);
    const shown = await runCommand(['product', 'show', String(id)], admin());
    assert.match(shown.stdout, /^status +waiting$/m);
    assert.match(shown.stdout, /^ATTEMPT +RESULT +TOOK +ANSWER\n\S+ \S+ +503 +\d+ ms +\{"error":"Down"\}$/m);
    answer = 204;
    const sent = await run('send', `call_order_${id}`);
    assert.deepEqual([sent.id, sent.order_id, sent.decides_order], [`call_order_${id}`, id, true]);
    await untilTaken(id);
    const { call } = await run('show', String(id));
    assert.deepEqual([call.status, call.latest_attempts.at(-1).status], ['done', 204]);
    assertRefused(await refused('send', 'call_order_1'), 3, /product_call_not_found/);
    assertRefused(await runCommand(['product', 'list'], reseller()), 3, /forbidden/);
  });

  test('are done by hand, but those of pending orders, which are accepted or failed', async () => {
    answer = 503;
    await connect('confirm');
    const [one, other] = [await place(), await place()];
    assertRefused(await refused('done', `call_order_${one.id}`), 3, /product_call_decides_order/);
    assert.equal((await run('accept', String(one.id))).status, 'completed');
    assert.equal((await refused('fail', String(other.id))).code, 2);
    const failed = await runCommand(['product', 'fail', String(other.id), '--reason', 'No seats'], admin());
    assert.match(failed.stdout, new RegExp(`^order +${other.id}\nstatus +failed\n`, 'm'));
    assertRefused(await refused('accept', String(other.id)), 3, /order_already_settled/);
    await connect('notify');
    await runForJson(['customer', 'suspend', String(one.customer.id)], admin());
    const [call] = await listed('failing');
    assert.equal((await run('done', String(call))).status, 'done');
  });

  test('are sent again together, after a yes', async () => {
    await connect('confirm');
    const { id } = await place();
    // Without a product, a pending order needs attention at once.
    assert.equal((await service('DELETE', '/product')).status, 200);
    assert.deepEqual(await listed('attention'), [`call_order_${id}`]);
    assertRefused(await refused('send-all', '--yes'), 3, /product/);
    answer = 204;
    await connect('confirm');
    assertRefused(await refused('send-all'), 2, /needs --yes/);
    assert.deepEqual(await run('send-all', '--yes'), { calls: 1 });
    await untilTaken(id);
  });
});

describe('bank', () => {
  const file = () => join(folder, 'statement.csv');
  const csv = ['--csv', 'date=Day,amount=Amount,text=Text', '--delimiter', ';'];

  before(async () => {
    const bank_transfer = { enabled: true, holder: 'Acme', iban: 'DE89370400440532013000' };
    const set = await fetch(`${address}/api/admin/v1/payments`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${settings['ADMIN_API_KEY']}` },
      body: JSON.stringify({ methods: { bank_transfer }, minimum: '10.00', maximum: '100.00' }),
    });
    assert.equal(set.status, 200);
  });

  test('imports a file, once, and lists, assigns and ignores its lines', async () => {
    const created = await runForJson(['account', 'create', 'pays-by-bank'], admin());
    const reference = rfReference(created.account.id);
    writeFileSync(
      file(),
      `Day;Amount;Text\n2026-01-14;30.00;${reference}\n2026-01-14;7.00;Lunch\n2026-01-14;8.00;?\n`,
    );
    const { lines } = await runForJson(['bank', 'import', file(), ...csv], admin());
    assert.deepEqual([lines.new, lines.credited, lines.unmatched], [3, 1, 2]);
    const again = await runCommand(['bank', 'import', file(), ...csv], admin());
    assert.match(again.stdout, /^new +0\nknown +3\n/);
    const found = await runForJson(['bank', 'lines', '--status', 'unmatched'], admin());
    const [other, lunch] = found.data;
    const assigned = await runForJson(['bank', 'assign', String(lunch.id), 'pays-by-bank'], admin());
    assert.deepEqual([assigned.line.status, assigned.line.account.username], ['credited', 'pays-by-bank']);
    assert.equal((await runForJson(['account', 'show', 'pays-by-bank'], admin())).balance, '37.00');
    const ignored = await runCommand(['bank', 'ignore', String(other.id)], admin());
    assert.match(ignored.stdout, /amount +8\.00 USD\n(.*\n)*status +ignored: no_account/);
    const refused = await runCommand(['bank', 'ignore', String(lunch.id)], admin());
    assertRefused(refused, 3, /\(bank_line_settled, request \S+\)/);
    const table = (await runCommand(['bank', 'lines'], admin())).stdout;
    assert.match(table, /^ID +DAY +AMOUNT/);
  });

  test('top-ups: adds by transfer, lists, cancels, and refunds what the bank brought', async () => {
    const { account, api_key } = await runForJson(['account', 'create', 'tops-up'], admin());
    const environment = { ...admin().environment, SELLTHROUGH_KEY: String(api_key) };
    const own = { cwd: folder, environment };
    const added = await runCommand(['topups', 'add', '40.00', '--by', 'bank'], own);
    const reference = rfReference(account.id);
    assert.match(added.stdout, new RegExp(`IBAN +DE89370400440532013000\nreference +${reference}\n`));
    const [open] = (await runForJson(['topups', 'list'], own)).data;
    const cancelled = await runForJson(['topups', 'cancel', String(open.id)], own);
    assert.equal(cancelled.topup.status, 'cancelled');
    writeFileSync(file(), `Day;Amount;Text\n2026-01-15;40.00;${reference}\n`);
    await runForJson(['bank', 'import', file(), ...csv], admin());
    const [paid] = (await runForJson(['topups', 'all', '--account', 'tops-up', '--status', 'paid'], admin()))
      .data;
    const refund = ['topups', 'refund', String(paid.topup.id), '15.00', '--idempotency-key', 'back-1'];
    for (let time = 0; time < 2; time += 1) {
      const { topup } = await runForJson(refund, admin());
      assert.deepEqual([topup.status, topup.refunded], ['partly_refunded', '15.00']);
    }
    assert.equal((await runForJson(['account', 'show', 'tops-up'], admin())).balance, '25.00');
    assert.match(
      (await runCommand(['topups', 'show', String(paid.topup.id)], own)).stdout,
      /refunded +15\.00/,
    );
    assert.match(
      (await runCommand(['topups', 'all', '--limit', '1'], admin())).stdout,
      /^ +TOP-UP +MADE.*\n.+\n$/,
    );
    assertRefused(await runCommand(['topups', 'all'], own), 3, /\(forbidden/);
  });

  test('refuses columns and files that it cannot read', async () => {
    assertRefused(
      await runCommand(['bank', 'import', file(), '--csv', 'day=Day'], admin()),
      2,
      /date and amount/,
    );
    assertRefused(await runCommand(['bank', 'import', join(folder, 'missing')], admin()), 2, /Cannot read/);
    assertRefused(await runCommand(['bank', 'import', file()], admin()), 3, /name its columns/);
  });
});

describe('receivables', () => {
  test('are listed, and what is not owed cannot be written off', async () => {
    assert.deepEqual((await runForJson(['account', 'receivables'], admin())).data, []);
    const refused = await runCommand(['account', 'write-off', 'acme', '5.00', '--memo', 'Gone'], admin());
    assertRefused(refused, 3, /at most the receivable of 0\.00/);
    const without = await runCommand(['account', 'write-off', 'acme'], admin());
    assert.deepEqual([without.code, /--memo/.test(without.stderr)], [2, true]);
  });
});

describe('events', () => {
  const key = { key: '' };
  const seller = (environment: Readonly<Record<string, string>> = {}) => ({
    cwd: folder,
    environment: { SELLTHROUGH_URL: address, SELLTHROUGH_KEY: key.key, ...environment },
  });
  let packageId: string;
  before(async () => {
    key.key = (await runForJson(['account', 'create', 'listener'], admin())).api_key;
    await runForJson(['account', 'credit', 'listener', '100.00'], admin());
    const prices = ['--reseller', '1,2,3', '--distributor', '1,2,3'];
    packageId = String((await runForJson(['package', 'create', 'Listen', ...prices], admin())).id);
    // This read starts the recording of events.
    await runForJson(['events'], seller());
  });
  const order = (customer: string) => runForJson(['order', packageId, customer], seller());

  function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const child = startCommand(args, seller(environment));
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    return {
      async says(pattern: RegExp): Promise<RegExpExecArray> {
        for (;;) {
          const found = pattern.exec(said);
          if (found !== null) return found;
          assert.equal(child.exitCode, null, said);
          await Promise.race([
            once(child.stdout ?? child, 'data'),
            once(child.stderr ?? child, 'data'),
            once(child, 'close'),
          ]);
        }
      },
      async end(): Promise<string> {
        child.kill('SIGINT');
        await once(child, 'close');
        return said;
      },
    };
  }

  test('are listed from an id on, all of them or those of a type', async () => {
    const { order: placed } = await order('alan@example.com');
    const { data } = await runForJson(['events'], seller());
    const types = data.map(({ type }: { type: string }) => type);
    assert.ok(types.includes('order.completed') && types.includes('plan.activated'), types.join());
    const behind = await runForJson(['events', '--after', String(data[0].id)], seller());
    assert.deepEqual(behind.data, data.slice(1));
    const { stdout } = await runCommand(['events', '--type', 'order.completed'], seller());
    assert.match(
      stdout,
      /^ *EVENT +AT +ACCOUNT +TYPE +WHAT\n *\d+ .* order\.completed +alan@example\.com, Listen, 1\.00 USD\n$/,
    );
    const everybody = await runForJson(['events', '--everybody', '--type', 'order.completed'], admin());
    assert.ok(
      everybody.data.some(
        (event: { data: { order?: { id: number } } }) => event.data.order?.id === placed.id,
      ),
    );
    assertRefused(
      await runCommand(['events', '--after', '1'], seller()),
      3,
      /must be the id of an event of yours/,
    );
    assertRefused(await runCommand(['events', '--everybody'], seller()), 3, /\(forbidden/);
  });

  test('are followed as they come, a line of JSON each, until Ctrl+C', async () => {
    const following = start(['events', '--follow', '--type', 'order.completed', '--json']);
    await following.says(/Waiting for events/);
    const { order: placed } = await order('grace@example.com');
    const [line] = await following.says(/^\{.*\}$/m);
    const event = JSON.parse(line);
    assert.deepEqual([event.type, event.data.order.id], ['order.completed', placed.id]);
    const said = await following.end();
    assert.doesNotMatch(said, /alan@example\.com/, 'what was before is not shown');
  });

  test('are sent on to a program on this machine, signed, and wait until it is there', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hooks`;
    const listening = start(['listen', '--forward', url, '--type', 'order.completed'], {
      SELLTHROUGH_WEBHOOK_SECRET: secret,
    });
    await listening.says(/Sending events to http:\S+\nSigned with whsec_\S+\nCtrl\+C ends it\.\n/);
    const { order: placed } = await order('edsger@example.com');
    await listening.says(/→ no connection, again in 0\.5 s\n/);
    const received = Promise.withResolvers<{ headers: IncomingHttpHeaders; body: string }>();
    const receiver = createHttpServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        response.writeHead(202).end();
        received.resolve({ headers: request.headers, body });
      });
    }).listen(port, '127.0.0.1');
    try {
      const { headers, body } = await received.promise;
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers;
      const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
      assert.equal(signature, `v1,${hmac.update(`${id}.${at}.${body}`).digest('base64')}`);
      const event = JSON.parse(body);
      assert.deepEqual([id, event.data.order], [`evt_${event.id}`, placed]);
      await listening.says(/order\.completed {2}edsger@example\.com, Listen, 1\.00 USD → 202\n/);
    } finally {
      await listening.end();
      receiver.close();
    }
  });

  test('are sent nowhere that is no address, and signed with nothing that is no secret', async () => {
    assertRefused(
      await runCommand(['listen', '--forward', 'localhost:4000'], seller()),
      2,
      /--forward must be an address/,
    );
    assertRefused(
      await runCommand(
        ['listen', '--forward', 'http://localhost:4000'],
        seller({ SELLTHROUGH_WEBHOOK_SECRET: 'secret' }),
      ),
      2,
      /SELLTHROUGH_WEBHOOK_SECRET must be the secret of an endpoint/,
    );
  });
});

describe('a command ends with', () => {
  const usage: readonly (readonly string[])[] = [
    ['bakup'],
    ['order'],
    ['order', 'one', 'ada@example.com'],
    ['order', '1', 'ada@example.com', '--months', '2'],
    ['orders', '--limit', '0'],
    ['orders', '--key', 'sk_live_x'],
    ['account', 'create', 'x', '--group', 'king'],
    ['package', 'create', 'X', '--reseller', '1,2', '--distributor', '1,2,3'],
    ['package', 'create', 'X'],
    ['package', 'create', 'X', '--trial', '--reseller', '1,2,3'],
    ['package', 'create', 'X', '--trial', '--distributor', '1,2,3'],
    ['account', 'edit', 'acme', '--api', 'maybe'],
    ['cancel', '1'],
    ['auto-renew', '1'],
    ['auto-renew', '1', '--off', '--months', '1'],
    ['account', 'edit', 'acme', '--allow', '::1', '--allow-all'],
  ];
  for (const args of usage) {
    test(`2 for ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await runCommand(args, admin());
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
      assert.match(stderr, /^(error|sellthrough): /);
    });
  }

  test('2 without a key, and says which variable', async () => {
    const cwd = join(folder, 'no-key');
    mkdirSync(cwd);
    assertRefused(await runCommand(['orders'], { cwd }), 2, /SELLTHROUGH_KEY is missing/);
  });

  test('0 for help and version', async () => {
    for (const args of [['--help'], ['--version'], ['account', 'credit', '--help']]) {
      assert.equal((await runCommand(args, { cwd: folder })).code, 0);
    }
  });

  test('4 where nothing listens, with the key to repeat an order that may stand', async () => {
    const anonymous = createServer().listen(0, '127.0.0.1');
    await once(anonymous, 'listening');
    const { port } = anonymous.address() as AddressInfo;
    // Disconnects after the request, so the order may have been placed.
    anonymous.on('connection', (socket) => socket.once('data', () => socket.destroy()));
    const environment = { ...reseller().environment, SELLTHROUGH_URL: `http://127.0.0.1:${port}` };
    const lost = await runCommand(['order', '1', 'ada@example.com'], { cwd: folder, environment });
    assertRefused(
      lost,
      4,
      /\(connection_lost, request \S+\)\. It may have been executed\. Repeat the command with --idempotency-key cli_\S+; it is never charged twice\./,
    );
    anonymous.close();
    await once(anonymous, 'close');
    const gone = await runCommand(['orders'], { cwd: folder, environment });
    assertRefused(gone, 4, /ECONNREFUSED.*\(connection_lost, request \S+\)/);
  });

  test('1 for an .env that cannot be read', async () => {
    const cwd = join(folder, 'env-is-a-folder');
    mkdirSync(join(cwd, '.env'), { recursive: true });
    assertRefused(await runCommand(['verify'], { cwd }), 1, /\.env of this folder cannot be read/);
  });
});

test('no secret stands among the arguments of a command, or of a process it starts', {
  skip: !existsSync('/proc/self/cmdline'),
}, async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const asked = once(silent, 'connection');
  const child = startCommand(['account', 'list'], {
    cwd: folder,
    environment: { SELLTHROUGH_URL: `http://127.0.0.1:${port}` },
  });
  await asked;
  const seen = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return ''; // the program has ended
      }
    });
  assert.ok(
    seen.some((line) => line.includes('account\0list')),
    'it was looked at',
  );
  for (const name of ['ADMIN_API_KEY', 'SECRET_KEY', 'ADMIN_PASSWORD']) {
    const secret = settings[name] ?? '';
    assert.ok(secret.length > 10);
    for (const line of seen) assert.ok(!line.includes(secret), name);
  }
  child.kill('SIGKILL');
  silent.close();
});

test('a running embedded service is left alone by the commands that need its folder, and asked by those that do not', async () => {
  assertRefused(await runCommand(['verify'], { cwd: folder }), 1, /in use by another Sellthrough/);
  assert.deepEqual(await runForJson(['doctor', '--health'], admin()), { ready: true });
  service.kill('SIGTERM');
  await once(service, 'exit');
  assert.equal((await runForJson(['verify'], { cwd: folder })).ok, true);
  assertRefused(await runCommand(['doctor', '--health'], admin()), 4, /No answer from/);
});

test('an administrator who is locked out gets a key that works and a password that is good for choosing another', async () => {
  assertRefused(
    await runCommand(['reset-administrator', '--username', 'acme'], { cwd: folder }),
    1,
    /"acme" is not an administrator/,
  );
  const config = readConfig({ ...settings, DATA_DIR: join(folder, 'data') });
  const open = () => openDatabase(config, Math.floor(Date.now() / 1000));
  const { database: locked } = await open();
  const administrator = "(select id from accounts where username = 'admin')";
  for (const text of [
    `update people set role = 'viewer' where id = ${administrator}`,
    `update api_keys set allowed_ips = '{203.0.113.9}', rate_limit_per_minute = 1 where account_id = ${administrator}`,
  ]) {
    await locked.query({ name: '', text });
  }
  await locked.close();
  const reset = await runForJson(['reset-administrator'], { cwd: folder });
  const { database } = await open();
  const known = await findCredentials(database, reset.username);
  const holder = await createApiKeyCache(database, () => 0).find(reset.api_key);
  const [key] = await listKeys(database, [known?.account.id ?? 0]);
  await database.close();
  assert.equal(known?.person.role, 'owner');
  assert.deepEqual(
    [key?.lastFour, key?.allowedIps, key?.rateLimitPerMinute],
    [reset.api_key.slice(-4), [], null],
  );
  assert.equal(await isRightPassword(reset.password, known?.passwordHash ?? null, 'a network'), true);
  assert.equal(known?.person.mustChangePassword, true);
  assert.deepEqual([holder?.principal.account.username, holder?.ended()], ['admin', null]);
});
