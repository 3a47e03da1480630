// The package that `npm pack` makes of the client: it installs without a network into an empty project, runs there
// with this machine's own Node, and its types check there.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installClientPackage, succeed } from '../harness/client-package.ts';
import { type HostileServer, startHostileServer } from '../harness/hostile-server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const project = mkdtempSync(join(tmpdir(), 'sellthrough-client-'));
let server: HostileServer;

before(async () => {
  server = await startHostileServer();
  await installClientPackage(project);
});
after(async () => {
  await server.close();
  rmSync(project, { recursive: true, force: true });
});

test('the package holds the built client, its types and its README, and needs nothing else', () => {
  const folder = join(project, 'node_modules', '@sellthrough', 'client');
  assert.deepEqual(readdirSync(folder).sort(), ['LICENSE', 'README.md', 'dist', 'package.json']);
  assert.deepEqual(
    readdirSync(join(folder, 'dist')).filter((name) => !/\.(js|d\.ts)$/.test(name)),
    [],
  );
  assert.deepEqual(
    readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['@sellthrough'],
  );
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

for (const [title, libraries, types] of [
  ['a browser’s types', ['es2022', 'dom'], []],
  ['Node’s types', ['es2022'], ['node']],
] as const) {
  test(`the types check in an empty project with ${title}, and a mistake is reported`, async () => {
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
    for (const module of ['nodenext', 'esnext']) {
      const config = {
        compilerOptions: {
          strict: true,
          noEmit: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
          target: 'es2022',
          lib: libraries,
          types,
          typeRoots: [join(root, 'node_modules', '@types')],
          module,
          moduleResolution: module === 'esnext' ? 'bundler' : 'nodenext',
        },
        files: ['order.ts'],
      };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
      await succeed(process.execPath, [tsc, '--project', 'tsconfig.json'], project);
    }
  });
}

/** This Node, and the machine's own where it is another: what a user of the package has. */
function nodes(): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const own = folders
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .find((file) => existsSync(file));
  return own === undefined ? [process.execPath] : [process.execPath, own];
}
