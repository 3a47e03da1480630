// Runs every sample of the API reference as printed. Each must send exactly the documented request.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { keyOf, type StoryWorld, startStoryWorld } from '../../scripts/docs/api-story.ts';
import { operationsOf, successOf } from '../../scripts/docs/openapi-document.ts';
import { storyOf } from '../../scripts/docs/story-requests.ts';
import { childEnvironment } from '../harness/child-environment.ts';
import { installPhpClient, pythonClientEnvironment } from '../harness/client-driver.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const openapi = JSON.parse(read('openapi.json'));
const places = new Map(operationsOf(openapi).map((place) => [place.operation.operationId, place]));
// These are the files from which the site is built.
const pages = globSync('docs/reference/*/*.md', { cwd: root }).map(read);

interface Language {
  readonly title: string;
  readonly program: string;
  readonly file: string;
  readonly arguments: (file: string) => readonly string[];
  /** Runs many samples in one process. Used if starting the program takes longer than a sample. */
  readonly runner?: string;
}

const languages: readonly Language[] = [
  { title: 'curl', program: 'bash', file: 'sample.sh', arguments: (file) => ['-eu', file] },
  {
    title: 'TypeScript',
    program: process.execPath,
    file: 'sample.ts',
    arguments: (file) => ['--import', join(root, 'test/harness/sdk-from-source.ts'), file],
    runner: join(root, 'test/harness/run-samples.ts'),
  },
  { title: 'PHP', program: 'php', file: 'sample.php', arguments: (file) => [file] },
  {
    title: 'Python',
    program: 'python3',
    file: 'sample.py',
    arguments: (file) => [file],
    runner: join(root, 'test/harness/run_samples.py'),
  },
];

function printedSample(operationId: string, language: string): string {
  const { method, path, operation } = required(places.get(operationId), operationId);
  const beginning = `# ${operation.summary}\n\n\`${method} ${path}\`\n`;
  const page = required(
    pages.find((text) => text.startsWith(beginning)),
    `${operationId} has a page in the reference`,
  );
  const fence = new RegExp(`<summary>${language}</summary>\\n\\n\`\`\`\\w+\\n([\\s\\S]*?)\\n\`\`\`\\n`);
  return required(fence.exec(page)?.[1], `${operationId} has a sample in ${language}`);
}

/** Such as "POST /api/v1/orders 201". */
function requestsSince({ service: { logLines } }: StoryWorld, from: number): readonly string[] {
  return logLines
    .slice(from)
    .filter((line) => 'route' in line)
    .map((line) => `${line['method']} ${line['route']} ${line['status']}`);
}

for (const language of languages) {
  const isMissing = spawnSync(language.program, ['--version']).error !== undefined;
  const isCurlMissing = language.title === 'curl' && spawnSync('curl', ['--version']).error !== undefined;
  const isOfGate = ['curl', 'TypeScript'].includes(language.title);
  const skip = isMissing || isCurlMissing ? `there is no ${language.title} on this machine` : false;
  describe(`the samples in ${language.title}${isOfGate ? '' : ' @nightly'}`, {
    skip,
  }, () => {
    let world: StoryWorld;
    let folder: string;
    let runner: Runner | null = null;
    before(async () => {
      world = await startStoryWorld();
      folder = mkdtempSync(join(tmpdir(), 'sellthrough-samples-'));
      installPhpClient(folder);
      runner = startRunner(language);
    });
    after(async () => {
      runner?.end();
      await world.service.close();
      rmSync(folder, { recursive: true });
    });

    for (const { operationId, client } of storyOf(openapi)) {
      test(`${operationId} sends its one request and is answered as documented`, async () => {
        const { method, path, operation } = required(places.get(operationId), operationId);
        const file = join(folder, `${operationId}-${language.file}`);
        writeFileSync(file, `${printedSample(operationId, language.title)}\n`);
        const environment = {
          ...childEnvironment,
          ...pythonClientEnvironment,
          SELLTHROUGH_URL: world.service.address,
          SELLTHROUGH_KEY: keyOf(world, client),
          ...(await world.environmentOf(operationId)),
        };
        await nextTurn(); // so that its own request is logged
        const from = world.service.logLines.length;
        const { code, output } = await (runner?.run(file, environment) ?? run(language, file, environment));
        assert.equal(code, 0, output);
        // The log line of a request is written one turn after its answer.
        while (requestsSince(world, from).length === 0) await nextTurn();
        const { status } = successOf(operation);
        const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
        assert.deepEqual(requestsSince(world, from), [`${method} ${route} ${status}`], output);
        assert.ok(output.trim() !== '', 'the answer is printed');
      });
    }

    test('and together they did what they say: the books show each of them once', async () => {
      const { admin } = world.service;
      const ledger = await admin.get('/api/admin/v1/accounts/2/ledger');
      const entries = ledger.body.data.map(
        (entry: Record<string, string>) => `${entry['kind']} ${entry['amount']}`,
      );
      for (const expected of ['credit 500.00', ...['charge -10.00', 'charge -27.00', 'charge -25.00']])
        assert.equal(entries.filter((entry: string) => entry === expected).length, 1, expected);
      const credits = entries.filter((entry: string) => entry === 'credit 250.00');
      assert.equal(credits.length, 2, 'one by the operator, and one by a line of the bank');
      const years = entries.filter((entry: string) => entry === 'charge -96.00');
      assert.equal(years.length, 2, 'a renewal by order, and one by customer');
      // These changes have a key but move no money of this account.
      const moving = storyOf(openapi).filter(
        ({ path }) =>
          !/\/test\/|\/customers\/|\/(?:accept|fail|close)$|\/(?:webhooks|keys|people|product-calls|packages|topups|payment-problems|bank-lines|receivable)(?:\/|$)/.test(
            path,
          ),
      );
      const keys = moving.flatMap(({ idempotencyKey, body }) => {
        const inBody = JSON.stringify(body ?? {}).match(/"idempotency_key":/g) ?? [];
        return idempotencyKey === undefined ? inBody : [idempotencyKey, ...inBody];
      });
      // One of the two pending orders was refunded. The third charge is the operator's change of package.
      const ofWaiting = entries.filter((entry: string) => entry.endsWith('70.00'));
      assert.deepEqual(ofWaiting, ['refund 70.00', 'charge -70.00', 'charge -70.00', 'charge -70.00']);
      // A top-up was paid before, a line of the bank credits another, and the operator refunds the first.
      const ofPayments = 3;
      // The customer to erase had a plan, which was refunded.
      const ofErased = 2;
      const inAll = 1 + keys.length + 4 + ofPayments + ofErased;
      assert.equal(entries.length, inAll, 'the opening credit, and one entry for each key');
      const changed = await admin.get('/api/admin/v1/accounts/2');
      assert.deepEqual(changed.body.account.allowed_ips, ['203.0.113.0/24']);
      const studio = await admin.get('/api/admin/v1/packages/5');
      assert.deepEqual(studio.body.package.prices.reseller, {
        monthly: '16.00',
        quarterly: '42.00',
        yearly: '150.00',
      });
    });
  });
}

test('the samples in TypeScript, as printed, pass the compiler at its strictest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sellthrough-samples-'));
  try {
    const samples = [
      ...pages,
      read('docs/getting-started.md'),
      read('docs/events.md'),
      read('docs/webhooks.md'),
    ].flatMap((text) => [...text.matchAll(/\n```ts\n([\s\S]*?)\n```\n/g)]);
    assert.ok(samples.length > places.size);
    for (const [index, [, code]] of samples.entries())
      writeFileSync(join(folder, `${index}.ts`), `${code}\n`);
    const compilerOptions = {
      target: 'es2024',
      lib: ['es2024', 'dom'],
      module: 'nodenext',
      moduleDetection: 'force',
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      paths: { '@sellthrough/client': [join(root, 'sdk/src/index.ts')] },
      noEmit: true,
      allowImportingTsExtensions: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
    };
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(
      process.execPath,
      [compiler, '--singleThreaded', '--project', folder],
      {
        encoding: 'utf8',
      },
    );
    assert.equal(status, 0, stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('the samples of the guides', () => {
  const guide = read('docs/getting-started.md');
  const present = languages.filter(({ program }) => spawnSync(program, ['--version']).error === undefined);

  test('the first order is one order, in whichever languages it is sent', async () => {
    const world = await startStoryWorld();
    const folder = mkdtempSync(join(tmpdir(), 'sellthrough-samples-'));
    installPhpClient(folder);
    try {
      const environment = {
        ...childEnvironment,
        ...pythonClientEnvironment,
        SELLTHROUGH_URL: world.service.address,
        SELLTHROUGH_KEY: world.resellerKey,
      };
      for (const language of present) {
        const fence = new RegExp(
          `<summary>${language.title}</summary>\\n\\n\`\`\`\\w+\\n([\\s\\S]*?)\\n\`\`\``,
        );
        const file = join(folder, language.file);
        writeFileSync(file, required(fence.exec(guide)?.[1], `a sample in ${language.title}`));
        const { code, output } = await run(language, file, environment);
        assert.equal(code, 0, output);
        assert.match(output, /2026-02-15T12:00:00Z/, `${language.title} shows when the plan ends`);
      }
      const python = present.find(({ title }) => title === 'Python');
      if (python !== undefined) {
        const [, retrying] = /\n```python\n([\s\S]*?)\n```/.exec(read('docs/idempotency.md')) ?? [];
        const file = join(folder, 'retrying.py');
        writeFileSync(file, required(retrying, 'the loop that retries'));
        const { code, output } = await run(python, file, environment);
        assert.equal(code, 0, output);
      }
      const { data } = (await world.service.admin.get('/api/admin/v1/accounts/2/orders')).body;
      const keys = data.map((order: Record<string, string>) => order['idempotency_key']);
      assert.deepEqual(keys, python === undefined ? ['first-order'] : ['invoice-1734', 'first-order']);
    } finally {
      await world.service.close();
      rmSync(folder, { recursive: true });
    }
  });
});

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

interface Runner {
  run(file: string, environment: NodeJS.ProcessEnv): Promise<Ran>;
  end(): void;
}

function startRunner({ program, arguments: argumentsOf, runner }: Language): Runner | null {
  if (runner === undefined) return null;
  const child = spawn(program, argumentsOf(runner), {
    cwd: root,
    env: { ...childEnvironment, ...pythonClientEnvironment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(file, environment) {
      child.stdin.write(`${JSON.stringify({ file, environment })}\n`);
      const { value, done } = await answers.next();
      assert.ok(!done, `${runner} ended`);
      return JSON.parse(value);
    },
    end: () => void child.stdin.end(),
  };
}

function run(
  { program, arguments: argumentsOf }: Language,
  file: string,
  env: NodeJS.ProcessEnv,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, argumentsOf(file), { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

function required<Value>(value: Value | undefined, what: string): Value {
  assert.ok(value !== undefined, what);
  return value;
}
