// Clients that common tools generate from the served openapi.json compile and place orders (test/generated-clients).
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import type { GeneratedClient } from '../generated-clients/programs/generated-client.ts';
import { runProgram } from '../harness/run-program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ownFolder = join(root, 'test', 'generated-clients');
const toolsPackage = join(ownFolder, 'package.json');

const tools: Readonly<Record<string, readonly string[]>> = {
  'openapi-typescript': ['./openapi.json', '--output', 'openapi-typescript.ts'],
  '@hey-api/openapi-ts': ['--file', 'openapi-ts.config.mjs'],
  orval: ['--config', 'orval.config.mjs'],
  'swagger-typescript-api':
    'generate --path openapi.json --output swagger-typescript-api --name api.ts'.split(' '),
};
const programs = ['openapi-fetch', 'hey-api', 'orval-fetch', 'orval-zod', 'swagger-typescript-api'] as const;

let service: TestService;
/** Beside the generators, so that generated imports find their node_modules. */
let folder: string;

before(async () => {
  service = await startTestService();
  await installTools();
  mkdirSync(join(ownFolder, '.test-tmp'), { recursive: true });
  folder = mkdtempSync(join(ownFolder, '.test-tmp', 'clients-'));
  cpSync(join(ownFolder, 'programs'), folder, { recursive: true });
  const served = await fetch(`${service.address}/api/v1/openapi.json`);
  writeFileSync(join(folder, 'openapi.json'), await served.text());
  mkdirSync(join(folder, 'built'));
  writeFileSync(join(folder, 'built', 'package.json'), '{ "type": "commonjs" }');
  for (const [name, args] of Object.entries(tools)) await generate(name, args);
});
after(async () => {
  await service.close();
  rmSync(join(ownFolder, '.test-tmp'), { recursive: true, force: true });
});

/** The generators have a lockfile of their own: they would be a fifth of all files that a checkout installs. */
async function installTools(): Promise<void> {
  const args = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, stdout, stderr } = await runProgram('npm', args, { cwd: ownFolder });
  assert.equal(code, 0, `npm ci failed:\n${stdout}${stderr}`);
}

async function generate(name: string, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runProgram(process.execPath, [commandOf(name), ...args], {
    cwd: folder,
    environment: { SELLTHROUGH_URL: service.address },
  });
  assert.equal(code, 0, `${name} failed:\n${stdout}${stderr}`);
}

function commandOf(name: string): string {
  const manifest = findPackageJSON(name, toolsPackage);
  assert.ok(manifest !== undefined, `${name} is installed`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return join(dirname(manifest), typeof bin === 'string' ? bin : String(Object.values(bin)[0]));
}

describe('a generated client', () => {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

  test('compiles under strict, and with exactOptionalPropertyTypes where its tool can', async () => {
    // This tool turns type checks off in its output. Turn them on: our document must pass them.
    const file = join(folder, 'swagger-typescript-api', 'api.ts');
    const source = readFileSync(file, 'utf8');
    assert.match(source, /^\/\/ @ts-nocheck$/m);
    writeFileSync(file, source.replace(/^\/\/ @ts-nocheck$/m, ''));
    const runs = [];
    for (const project of ['tsconfig.json', 'tsconfig.loose.json'])
      runs.push(await runProgram(process.execPath, [tsc, '--project', project], { cwd: folder }));
    assert.equal(runs.map(({ stdout }) => stdout).join(''), '');
    assert.deepEqual(
      runs.map(({ code }) => code),
      [0, 0],
    );
  });

  for (const program of programs) {
    test(`${program} places an order with months, with period, with neither, and reads a page and an error`, async () => {
      const reseller = await service.createReseller({ credit: '1000.00' });
      const { connect }: { connect(address: string, key: string): GeneratedClient } = createRequire(
        import.meta.url,
      )(join(folder, 'built', program));
      const client = connect(service.address, reseller.key);
      const wish = { package_id: service.packages.basic, customer: `${program}@example.com` };

      const quarter = await client.place({ ...wish, months: 3 });
      const year = await client.place({ ...wish, period: 'yearly' });
      const month = await client.place(wish);
      assert.deepEqual(
        [quarter, year, month].map(({ months, balance }) => [months, balance]),
        [
          [3, '973.00'],
          [12, '877.00'],
          [1, '867.00'],
        ],
      );
      assert.ok(Number.isSafeInteger(month.id));
      assert.deepEqual(await client.list(), { ids: [month.id, year.id], total: 3 });
      assert.deepEqual(await client.miss(), { status: 404, code: 'order_not_found' });
    });
  }
});
