// What `npm test` runs: the static checks, the unit tests, the service tests once on each database, the tests of
// the whole program, those of what is built around it, and those of the pages in a real browser. A step that fails does not hide the ones after it.
// Always true: the last line printed is `N passed, N failed` (and `, N skipped`), summed over every step; a
// static check counts as one test; a suite or a file that ran no test counts as failed.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedServer } from '../src/database/embedded-server.ts';
import { chromiumForTests } from './chromium-for-tests.ts';
import type { TestFact } from './count-reporter.ts';
import { postgresForTests } from './throwaway-postgres.ts';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Step {
  readonly name: string;
  run(): Promise<Counts>;
}

interface Suite {
  readonly name: string;
  readonly files: string;
  readonly concurrency: number;
  readonly environment: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const groups = ['static', 'unit', 'embedded', 'postgres', 'program', 'tools', 'browser'] as const;
type Group = (typeof groups)[number];

// A test that waits for ever must end the run with its name.
const testTimeoutMilliseconds = 300_000;
// The runner's own limit does not cover a file whose tests are over and whose process stays: a timer or a connection
// left open. Past this long without a test ending, the runner is interrupted and names the file.
const silenceLimitMilliseconds = testTimeoutMilliseconds + 60_000;

// A developer's own settings must not reach the tests, least of all the address of a real database.
const hiddenFromTests =
  /^(PORT|HOST|PUBLIC_URL|DATABASE_URL|DATA_DIR|SECRET_KEY|CURRENCY|TRUST_PROXY|ADMIN_\w+|DEMO|LOG_LEVEL|VALKEY_URL|TEST_DATABASE|TEST_DATABASE_URL|TEST_EMBEDDED_TEMPLATE|TEST_PROXY\w*|NODE_TEST_CONTEXT)$/;

const usage = `Usage: npm test -- [--only ${groups.join('|')}]... [--grep text] [file]...`;

const { only, grep, files } = readArguments();
const counts = await runAll(steps());
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = counts.failed > 0 ? 1 : 0;

function readArguments(): { only: ReadonlySet<Group>; grep: string | undefined; files: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({
      options: { only: { type: 'string', multiple: true }, grep: { type: 'string' } },
      allowPositionals: true,
    });
    // Who asks for a text or a file asks for tests, not for the static checks.
    const narrowed = values.grep !== undefined || positionals.length > 0;
    const wanted = values.only ?? (narrowed ? groups.filter((group) => group !== 'static') : groups);
    return {
      only: new Set(
        wanted.map((name) => groups.find((group) => group === name) ?? stop(`There is no group "${name}".`)),
      ),
      grep: values.grep,
      files: positionals,
    };
  } catch (error) {
    return stop(error instanceof Error ? error.message : String(error));
  }
}

function stop(sentence: string): never {
  console.error(`${sentence}\n${usage}`);
  process.exit(2);
}

function steps(): readonly Step[] {
  const colors = process.stdout.isTTY ? 'force' : 'off';
  const tool = (name: string, ...args: string[]) => ({ name, run: () => runTool(args) });
  const all: Record<Group, readonly Step[]> = {
    static: [
      tool('types', 'typescript/bin/tsc', '--project', 'tsconfig.json'),
      tool('types of the pages', 'typescript/bin/tsc', '--project', 'web/tsconfig.json', '--noEmit'),
      tool('format and lint', '@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', `--colors=${colors}`),
      tool('dead code', 'knip/bin/knip.js'),
      tool('rules of openapi.json', '../scripts/lint-openapi.ts'),
    ],
    unit: [suite({ name: 'unit tests', files: 'test/unit/**/*.test.ts' })],
    embedded: [
      suite({
        name: 'service tests on the embedded database',
        files: 'test/service/**/*.test.ts',
        environment: { TEST_DATABASE: 'embedded' },
      }),
    ],
    postgres: [{ name: 'service tests on PostgreSQL', run: runOnPostgres }],
    // One at a time: these start, kill and restart whole processes.
    program: [suite({ name: 'tests of the whole program', files: 'test/process/*.test.ts', concurrency: 1 })],
    tools: [
      suite({
        name: 'tests of the command line, the package, the client and the examples',
        files: 'test/tools/*.test.ts',
        environment: { TEST_DATABASE: 'embedded' },
      }),
    ],
    browser: [{ name: 'tests of the pages in a browser', run: runInBrowser }],
  };
  return groups.filter((group) => only.has(group)).flatMap((group) => all[group]);
}

async function runAll(all: readonly Step[]): Promise<Counts> {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const step of all) {
    console.log(`\n▶ ${step.name}`);
    const started = performance.now();
    const result = await step.run().catch((error: unknown) => {
      console.log(error instanceof Error ? error.message : error);
      return { passed: 0, failed: 1, skipped: 0 };
    });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${result.failed > 0 ? '✖ FAILED' : '✔'} ${step.name} (${seconds} s)`);
    total.passed += result.passed;
    total.failed += result.failed;
    total.skipped += result.skipped;
  }
  if (total.passed + total.failed === 0) {
    console.log('\nNo test was run.');
    total.failed = 1;
  }
  return total;
}

/** Runs a tool of node_modules with this Node; what it printed is shown when it fails. */
async function runTool([script = '', ...args]: readonly string[]): Promise<Counts> {
  const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const { code, output } = await runNode([join('node_modules', script), ...args], color, 'captured');
  if (code === 0) return { passed: 1, failed: 0, skipped: 0 };
  console.log(output.trimEnd());
  return { passed: 0, failed: 1, skipped: 0 };
}

function suite(parts: Partial<Suite> & Pick<Suite, 'name' | 'files'>): Step {
  const whole = { concurrency: availableParallelism(), environment: {}, ...parts };
  return { name: parts.name, run: () => runSuite(whole) };
}

async function runOnPostgres(): Promise<Counts> {
  const server = await postgresForTests();
  console.log(server.description);
  try {
    const environment = { TEST_DATABASE: 'postgres', TEST_DATABASE_URL: server.url };
    return await suite({ name: 'postgres', files: 'test/service/**/*.test.ts', environment }).run();
  } finally {
    await server.remove();
  }
}

async function runInBrowser(): Promise<Counts> {
  const pattern = 'test/browser/**/*.test.ts';
  // Unpacked before the files run at once, and only if one of them does.
  if (chooseFiles(pattern).length > 0) console.log((await chromiumForTests()).description);
  return suite({ name: 'browser', files: pattern, environment: { TEST_DATABASE: 'embedded' } }).run();
}

/** Those of the pattern that were asked for. */
function chooseFiles(pattern: string): readonly string[] {
  const found = globSync(pattern, { cwd: root }).sort();
  return files.length === 0 ? found : found.filter((file) => files.some((part) => file.includes(part)));
}

async function runSuite({ files: pattern, concurrency, environment }: Suite): Promise<Counts> {
  const chosen = chooseFiles(pattern);
  if (chosen.length === 0) {
    if (files.length > 0) return { passed: 0, failed: 0, skipped: 0 };
    console.log(`No file matches ${pattern}.`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const folder = mkdtempSync(join(tmpdir(), 'sellthrough-test-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder); // Ctrl-C passes by the end of this function
  try {
    const factsFile = join(folder, 'facts.jsonl');
    const flags = [
      '--test',
      `--test-concurrency=${concurrency}`,
      `--test-timeout=${testTimeoutMilliseconds}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./scripts/count-reporter.ts',
      `--test-reporter-destination=${factsFile}`,
      ...(grep === undefined ? [] : [`--test-name-pattern=${escapeForPattern(grep)}`]),
    ];
    const onEmbedded = environment['TEST_DATABASE'] === 'embedded';
    const template = onEmbedded ? { TEST_EMBEDDED_TEMPLATE: await makeEmbeddedTemplate(folder) } : {};
    const { code } = await runNode(
      [...flags, ...chosen],
      { ...environment, ...template },
      'shown',
      factsFile,
    );
    return countFacts(readFacts(factsFile), chosen, code);
  } finally {
    process.off('exit', removeFolder);
    removeFolder();
  }
}

/** A data folder as the first start of a service leaves it, but empty: to copy one is much faster than to make one. */
async function makeEmbeddedTemplate(folder: string): Promise<string> {
  const dataDir = join(folder, 'embedded-template');
  const server = await startEmbeddedServer({ dataDir });
  await server.close();
  return dataDir;
}

function readFacts(factsFile: string): readonly TestFact[] {
  const lines = readFileSync(factsFile, { encoding: 'utf8', flag: 'a+' }).split('\n');
  return lines.filter((line) => line !== '').map((line): TestFact => JSON.parse(line));
}

function countFacts(facts: readonly TestFact[], chosen: readonly string[], code: number | null): Counts {
  const count = (wanted: TestFact['fact']) => facts.filter(({ fact }) => fact === wanted).length;
  const problems: string[] = [];
  for (const file of chosen) {
    const known = facts.filter(({ name }) => name.endsWith(file)).map(({ fact }) => fact);
    // With --grep most files have nothing to run, which is as it should be.
    if (known.includes('empty')) {
      if (grep === undefined) problems.push(`${file} ran no test.`);
    } else if (!known.includes('finished') && !known.includes('failed')) {
      problems.push(`${file} left before its tests ended.`);
    }
  }
  for (const { name, ending } of facts) {
    if (ending !== undefined) console.log(`✖ ${name}: its process ended with ${ending}.`);
  }
  const passed = count('passed');
  const failed = count('failed');
  if (passed + failed + problems.length === 0 && grep === undefined) problems.push('The suite ran no test.');
  if (code !== 0 && failed + problems.length === 0) {
    problems.push(`The test runner failed (exit code ${code}) although no test did.`);
  }
  for (const problem of problems) console.log(`✖ ${problem}`);
  return { passed, failed: failed + problems.length, skipped: count('skipped') };
}

function runNode(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  outputIs: 'shown' | 'captured',
  factsFile?: string,
): Promise<{ code: number | null; output: string }> {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!hiddenFromTests.test(name)) env[name] = value;
  }
  const captured = outputIs === 'captured';
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...env, ...environment },
      stdio: ['ignore', captured ? 'pipe' : 'inherit', captured ? 'pipe' : 'inherit'],
    });
    let output = '';
    const take = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    const forward = (signal: NodeJS.Signals) => {
      child.kill(signal);
      process.exit(130); // the throwaway server watches this process and goes with it
    };
    process.once('SIGINT', forward).once('SIGTERM', forward);
    const started = Date.now();
    const watch = setInterval(() => {
      const last = factsFile && statSync(factsFile, { throwIfNoEntry: false })?.mtimeMs;
      if (factsFile && Date.now() - (last || started) > silenceLimitMilliseconds) child.kill('SIGINT');
    }, 1_000);
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(watch);
      process.off('SIGINT', forward).off('SIGTERM', forward);
      resolve({ code, output });
    });
  });
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
