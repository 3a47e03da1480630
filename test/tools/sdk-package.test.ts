// The client that the documents hand out, packed by npm, installs offline into an empty project, runs there with this
// machine's Node, and type-checks.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { downloads } from '../../docs/.vitepress/page-list.ts';
import { builtDocsFolder } from '../../src/service/docs-pages.ts';
import { type HostileServer, startHostileServer } from '../harness/hostile-server.ts';
import { runProgram } from '../harness/run-program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const project = mkdtempSync(join(tmpdir(), 'sellthrough-client-'));
let server: HostileServer;

before(async () => {
  server = await startHostileServer();
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const packed = join(builtDocsFolder, 'downloads', downloads['sdk/package.json'] ?? '');
  await succeed('npm', ['install', '--offline', '--no-audit', '--no-fund', packed], project);
});
after(async () => {
  await server.close();
  rmSync(project, { recursive: true, force: true });
});

test('the package holds the built client, its types and its README, and needs nothing else', () => {
  const folder = join(project, 'node_modules', '@sellthrough', 'client');
  assert.deepEqual(readdirSync(folder).sort(), ['LICENSE', 'README.md', 'dist', 'package.json']);
  const built = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' });
  const others = built.filter((name) => !/\.(js|d\.ts)$/.test(name)).sort();
  assert.deepEqual(others, ['commonjs', join('commonjs', 'package.json')]);
  assert.deepEqual(
    readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['@sellthrough'],
  );
});

test('a fresh clone packs it, and one that only serves: packing sets itself up, without what only development needs', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'sdk', 'package.json'), 'utf8'));
  assert.equal(scripts.prepack, 'node ../scripts/prepare.mjs --client');
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { dev, devOptional } = packages['node_modules/typescript'];
  assert.deepEqual([dev, devOptional], [undefined, undefined]);
});

test('an order is placed from an empty project, with every Node of this machine', async () => {
  writeFileSync(
    join(project, 'order.mjs'),
    `import { Sellthrough, isSellthroughError } from '@sellthrough/client';
const client = new Sellthrough({ baseUrl: '${server.address}', apiKey: 'sk_live_x', backoffMs: 1 });
const placed = await client.placeOrder({ package_id: 1, customer: 'ada' });
const error = await client.getOrder(9).catch((error) => error);
console.log(JSON.stringify([process.version, placed.replayed, isSellthroughError(error, 'order_not_found')]));`,
  );
  for (const node of nodes()) {
    server.treat('drop after', 'answer', '404 order_not_found');
    const output = await succeed(node, ['order.mjs'], project);
    const [version, replayed, isKnown] = JSON.parse(output);
    assert.match(version, /^v\d+/);
    assert.deepEqual([replayed, isKnown], [true, true], version);
  }
});

test('a program that takes it by require, where Node cannot require modules, knows the errors of both builds', async () => {
  writeFileSync(
    join(project, 'order.cjs'),
    `const { Sellthrough, isSellthroughError } = require('@sellthrough/client');
const options = { baseUrl: '${server.address}', apiKey: 'sk_live_x', retries: 0 };
(async () => {
  const { replayed } = await new Sellthrough(options).placeOrder({ package_id: 1, customer: 'ada' });
  const module = await import('@sellthrough/client');
  const error = await new module.Sellthrough(options).getOrder(9).catch((error) => error);
  const known = [isSellthroughError(error, 'order_not_found'), isSellthroughError(new Error('x'))];
  console.log(JSON.stringify([replayed, module.Sellthrough === Sellthrough, ...known]));
})();`,
  );
  server.treat('answer', '404 order_not_found');
  // This flag makes Node behave like Node 18.
  const output = await succeed(process.execPath, ['--no-experimental-require-module', 'order.cjs'], project);
  assert.deepEqual(JSON.parse(output), [false, false, true, false]);
});

/** In the order in which they stand. */
function samplesOfReadme(): string {
  const readme = readFileSync(join(root, 'sdk', 'README.md'), 'utf8');
  const samples = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, sample = '']) => sample);
  assert.ok(samples.length >= 2);
  return samples.join('\n');
}

for (const [title, libraries, types, others, tag] of [
  ['a browser’s types', ['es2022', 'dom'], [], [], ' @nightly'],
  ['Node’s types, as do the samples of the README', ['es2022'], ['node'], ['readme.ts'], ''],
] as const) {
  test(`the types check under strict in an empty project with ${title}, and a mistake is reported${tag}`, async () => {
    const source = `import { isSellthroughError, Sellthrough, type Order } from '@sellthrough/client';
const client = new Sellthrough({ baseUrl: 'https://x.example', apiKey: 'k', fetch });
export async function place(signal: AbortSignal): Promise<Order> {
  try {
    return (await client.placeOrder({ package_id: 1, customer: 'a', months: 3 }, { signal })).order;
  } catch (error) {
    if (isSellthroughError(error, 'insufficient_credit')) console.log(error.details.required.length);
    throw error;
  }
}
export async function all(): Promise<void> {
  for await (const order of client.eachOrder()) console.log(order.price.length);
}
// @ts-expect-error: there is no such period
void client.placeOrder({ package_id: 1, customer: 'a', months: 2 });
// @ts-expect-error: what takes no key gets none
void client.admin.createAccount({ username: 'abc', group: 'reseller' }, { idempotencyKey: 'k' });
`;
    writeFileSync(join(project, 'order.ts'), source);
    // TypeScript compiles a .cts file as a program that uses require.
    writeFileSync(join(project, 'order.cts'), source);
    writeFileSync(join(project, 'readme.ts'), samplesOfReadme());
    await checkTypes(['order.ts', ...others], 'nodenext', libraries, types);
    await checkTypes(['order.ts'], 'esnext', libraries, types);
    await checkTypes(['order.cts'], 'node16', libraries, types);
  });
}

async function checkTypes(
  files: readonly string[],
  module: 'nodenext' | 'node16' | 'esnext',
  lib: readonly string[],
  types: readonly string[],
): Promise<void> {
  const config = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      target: 'es2022',
      lib,
      types,
      typeRoots: [join(root, 'node_modules', '@types')],
      module,
      moduleResolution: module === 'esnext' ? 'bundler' : module,
    },
    files,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  await succeed(process.execPath, [tsc, '--singleThreaded', '--project', 'tsconfig.json'], project);
}

async function succeed(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, { cwd });
  assert.equal(code, 0, `${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}

/** This Node and, if it is another one, the machine's own. */
function nodes(): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const own = folders
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .find((file) => existsSync(file));
  return own === undefined ? [process.execPath] : [process.execPath, own];
}
