// Runs scripts/prepare.mjs in a small checkout with the real npm. It installs from a local file, without a registry.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { becomeNobody } from '../harness/command-process.ts';

// One test reads its checkout as another user, so files must be readable.
process.umask(0o022);
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sellthrough-set-up-'));
const tarball = join(folder, 'a-package.tgz');
const npmConfiguration = {
  npm_config_cache: join(folder, 'cache'),
  // Nothing listens at this address, so anything that is neither in the cache nor in the tarball fails at once.
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_fetch_retries: '0',
};
const installing = 'Installing dependencies from the lockfile …\n';
let checkouts = 0;

before(() => {
  const source = join(folder, 'a-package');
  mkdirSync(source);
  writeFileSync(join(source, 'package.json'), '{ "name": "a-package", "version": "1.0.0" }');
  writeFileSync(join(source, 'index.js'), '');
  execFileSync('npm', ['pack', '--silent', `--pack-destination=${folder}`], {
    cwd: source,
    env: { ...process.env, ...npmConfiguration },
    shell: process.platform === 'win32',
  });
  cpSync(join(folder, 'a-package-1.0.0.tgz'), tarball);
});
after(() => rmSync(folder, { recursive: true, force: true }));

function newCheckout(more: Readonly<Record<string, object>> = {}): string {
  checkouts += 1;
  const made = join(folder, `checkout ${checkouts}`);
  for (const path of ['scripts/prepare.mjs', 'scripts/one-at-a-time.mjs', 'scripts/node24/package-lock.json'])
    cpSync(join(root, path), join(made, path));
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  const wanted = (optional: boolean) =>
    Object.entries(more).flatMap(([name, entry]) =>
      'optional' in entry === optional ? [[name, '1.0.0']] : [],
    );
  const manifest = {
    name: 'small',
    version: '1.0.0',
    dependencies: { 'a-package': 'file:../a-package.tgz', ...Object.fromEntries(wanted(false)) },
    optionalDependencies: Object.fromEntries(wanted(true)),
  };
  const packages = {
    '': manifest,
    'node_modules/a-package': { version: '1.0.0', resolved: 'file:../a-package.tgz', integrity },
    ...Object.fromEntries(Object.entries(more).map(([name, entry]) => [`node_modules/${name}`, entry])),
  };
  writeFileSync(join(made, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(made, 'package-lock.json'),
    JSON.stringify({ ...manifest, lockfileVersion: 3, packages }),
  );
  return made;
}

interface SetUp {
  readonly child: ChildProcess;
  readonly end: Promise<{ readonly code: number | null; readonly said: string }>;
}

function setUp(checkout: string, more: NodeJS.ProcessEnv = {}, flags: readonly string[] = []): SetUp {
  const env: NodeJS.ProcessEnv = { ...process.env, ...npmConfiguration, ...more };
  delete env['npm_execpath'];
  const child = spawn(process.execPath, [...flags, join(checkout, 'scripts', 'prepare.mjs')], {
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return { child, end: once(child, 'close').then(([code]) => ({ code, said })) };
}

const installed = (checkout: string) => join(checkout, 'node_modules', 'a-package', 'index.js');

test('the first run installs, the next one has nothing to do and says nothing', async () => {
  const checkout = newCheckout();
  assert.deepEqual(await setUp(checkout).end, { code: 0, said: installing });
  assert.ok(existsSync(installed(checkout)));
  assert.deepEqual(await setUp(checkout).end, { code: 0, said: '' });
});

test('what openapi.json makes is made once, and again when its sources change or it is gone', async () => {
  const checkout = newCheckout();
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  };
  const script = (rest: string) => `import { appendFileSync, writeFileSync } from 'node:fs';\n${rest}\n`;
  put('openapi.json', '{}');
  put('docs/reference/answers.jsonl', '');
  put('scripts/clients/client-operations.ts', '');
  put('scripts/docs/openapi-document.ts', '');
  put('sdk/src/index.ts', '');
  const making = "appendFileSync('made', 'x'); writeFileSync('sdk/src/api-types.ts', '// types');";
  put('scripts/from-openapi.ts', script(making));
  const made = () => readFileSync(join(checkout, 'made'), 'utf8').length;

  assert.deepEqual(await setUp(checkout).end, { code: 0, said: installing });
  assert.deepEqual(await setUp(checkout).end, { code: 0, said: '' });
  assert.equal(made(), 1);
  put('openapi.json', '{ "openapi": "3.1.0" }');
  assert.equal((await setUp(checkout).end).code, 0);
  assert.equal(made(), 2);
  rmSync(join(checkout, 'sdk/src/api-types.ts'));
  assert.equal((await setUp(checkout).end).code, 0);
  assert.equal(made(), 3);
  assert.ok(existsSync(join(checkout, 'sdk/src/api-types.ts')));

  put('scripts/from-openapi.ts', script("throw new Error('no such schema');"));
  const failed = await setUp(checkout).end;
  assert.equal(failed.code, 1);
  assert.match(failed.said, /^scripts\/from-openapi\.ts failed:\n[\s\S]*no such schema/);
});

test('two at once take turns: one installs, the other finds it done', async () => {
  const checkout = newCheckout();
  const both = await Promise.all([setUp(checkout).end, setUp(checkout).end]);
  assert.deepEqual(
    both.map(({ code }) => code),
    [0, 0],
  );
  assert.equal(both.filter(({ said }) => said.includes(installing)).length, 1, JSON.stringify(both));
  assert.ok(existsSync(installed(checkout)));
  assert.ok(!existsSync(join(checkout, '.prepare-lock')));
});

test('what a killed run left behind is installed again', async () => {
  const checkout = newCheckout();
  // A killed run leaves this: half a package and an old lock.
  mkdirSync(dirname(installed(checkout)), { recursive: true });
  cpSync(join(folder, 'a-package', 'package.json'), join(dirname(installed(checkout)), 'package.json'));
  const lock = join(checkout, '.prepare-lock');
  mkdirSync(lock);
  const aMinuteAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, aMinuteAgo, aMinuteAgo);
  const { code, said } = await setUp(checkout).end;
  assert.equal(code, 0, said);
  assert.match(said, /^Waiting for another set-up of this checkout …\nInstalling/);
  assert.ok(existsSync(installed(checkout)));
});

test('the npm that a killed run left behind is waited for @nightly', async () => {
  const checkout = newCheckout();
  const lock = join(checkout, '.prepare-lock');
  mkdirSync(lock);
  const orphan = spawn(process.execPath, ['--eval', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  writeFileSync(join(lock, 'programs'), String(orphan.pid));
  const aMinuteAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, aMinuteAgo, aMinuteAgo);
  const waiting = setUp(checkout);
  await once(waiting.child.stderr ?? waiting.child, 'data');
  assert.ok(!existsSync(join(checkout, 'node_modules')));
  orphan.stdin.end();
  const { code, said } = await waiting.end;
  assert.equal(code, 0, said);
  assert.ok(orphan.exitCode !== null || orphan.signalCode !== null, 'it went on while the other was alive');
});

test('a run that is stopped lets npm end, and the next one goes on at once @nightly', async () => {
  const checkout = newCheckout();
  const first = setUp(checkout);
  const lock = join(checkout, '.prepare-lock');
  while (!existsSync(join(lock, 'programs'))) await new Promise(setImmediate);
  first.child.kill('SIGTERM');
  const { code, said } = await first.end;
  // npm may have finished before it was interrupted.
  if (code !== 0) assert.match(said, /The dependencies are not installed: npm /);
  assert.ok(!existsSync(lock));
  assert.equal((await setUp(checkout).end).code, 0);
  assert.ok(existsSync(installed(checkout)));
});

test('a change of the lockfile, or by an npm that someone called, is seen', async () => {
  const checkout = newCheckout();
  await setUp(checkout).end;
  for (const change of ['package-lock.json', 'node_modules/.package-lock.json']) {
    const path = join(checkout, change);
    writeFileSync(path, `${readFileSync(path, 'utf8')}\n`);
    assert.deepEqual(await setUp(checkout).end, { code: 0, said: installing }, change);
  }
});

test('an optional package that this machine needs and npm could not fetch is named @nightly', async () => {
  const entry = { version: '1.0.0', integrity: 'sha512-x', optional: true };
  const checkout = newCheckout({
    'for-this-machine': { ...entry, os: [process.platform] },
    'for-another': { ...entry, os: ['aix'] },
  });
  const { code, said } = await setUp(checkout).end;
  assert.equal(code, 1);
  assert.match(
    said,
    /the registry did not give node_modules\/for-this-machine\. Check the network and run this again\./,
  );
  assert.match(
    (await setUp(checkout).end).said,
    /did not give/,
    'and not taken for installed by the next run',
  );
});

test('a registry that is away, and npm missing, are one sentence @nightly', async () => {
  const checkout = newCheckout({ 'a-needed-one': { version: '1.0.0', integrity: 'sha512-x' } });
  const away = await setUp(checkout).end;
  assert.equal(away.code, 1);
  assert.match(
    away.said,
    /^Installing.*\n.*: the package registry cannot be reached \(\w+\)\. Check the network and run this again\.\n$/,
  );
  const missing = await setUp(checkout, { PATH: dirname(checkout) }).end;
  assert.equal(missing.code, 1);
  assert.match(missing.said, /^Installing.*\n.*: npm could not be started: .*ENOENT/);
});

test('a checkout that this user may not write to @nightly', {
  skip: process.platform === 'win32',
}, async () => {
  const checkout = newCheckout();
  for (const open of [folder, checkout]) chmodSync(open, 0o555);
  const asNobody = process.getuid?.() === 0 ? ['--import', becomeNobody] : [];
  const { code, said } = await setUp(checkout, {}, asNobody).end;
  for (const open of [folder, checkout]) chmodSync(open, 0o755);
  assert.equal(code, 1);
  assert.match(
    said,
    /^Sellthrough is not set up yet, and this user may not write to .* \(EACCES\): run this once as its owner\.\n$/,
  );
});
