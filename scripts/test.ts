// `npm test`: static checks, unit tests, service tests on PostgreSQL (those in test-groups.ts also on the embedded database
// and with several account groups), tests of the program, the tools and the pages. Runs in lanes (test-lanes.ts), longest
// first. Invariant: the last line is `N passed, N failed` (and `, N skipped`) over all steps. A static check counts as one
// test, and a step or file that ran no test counts as failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { briefFlags, workerFlags } from './brief-processes.ts';
import { createStatementRuns } from './statement-runs.ts';
import {
  accountGroupsOfTests,
  longestFirst,
  runsEmbedded,
  runsInEveryPlace,
  runsInOneGroup,
  runsNightly,
  testsIn,
  waitsMostly,
} from './test-groups.ts';
import { createWorkers, type FileReport, runInLanes, type WorkerKind } from './test-lanes.ts';
import {
  embeddedTemplate,
  memoryFolder,
  type PostgresOfTests,
  postgresWithTemplates,
} from './test-templates.ts';
import { testedProgramFolder } from './tested-program.ts';
import { createUnchangedWork, type Passed, type TestSource } from './unchanged-work.ts';

interface Step {
  readonly name: string;
  readonly parts: readonly Part[];
}

interface Part {
  readonly label: string;
  readonly file: string | undefined;
  readonly weight: number;
  readonly after?: Promise<unknown>;
  readonly queue?: string;
  run(): Promise<Outcome>;
}

interface TestSetting {
  readonly kind: WorkerKind;
  /** Beside the variables of the process, those of the file's group. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly text: string;
  readonly failures: readonly string[];
  readonly cpuSeconds: number | undefined;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const groups = ['static', 'unit', 'postgres', 'groups', 'embedded', 'program', 'tools', 'browser'] as const;
type Group = (typeof groups)[number];

// A test that hangs must end the run with its name, but a slow start on a busy machine must not.
const testTimeoutMilliseconds = 600_000;
// Covers a process that hangs in a hook or cannot report its test timeout.
const silenceLimitMilliseconds = testTimeoutMilliseconds + 60_000;
// Test processes and their databases wait for each other, so one lane more than cores keeps the cores 90 % busy. With two
// more, a run took an eighth more CPU time and was not faster.
const lanes = availableParallelism() + 1;
const waitingWeight = 0.5;

// Hide the developer's settings from the tests, above all the address of a real database.
const hiddenFromTests =
  /^(PORT|HOST|PUBLIC_URL|DATABASE_URL|DATA_DIR|SECRET_KEY|CURRENCY|TRUST_PROXY|ADMIN_\w+|DEMO|LOG_LEVEL|VALKEY_URL|TEST_DATABASE|TEST_DATABASE_\w+|TEST_EMBEDDED_TEMPLATE|TEST_FOLDER|TEST_GATE|TEST_PROGRAM|TEST_PROXY\w*|PROOF_\w+|NODE_TEST_CONTEXT)$/;

const usage = `Usage: npm test -- [--only ${groups.join('|')}]... [--grep text] [--times] [--again] [--whole] [file]...`;

const { only, grep, files, showsTimes, isAgain, isWhole } = readArguments();
const color = process.stdout.isTTY;
const workers = createWorkers({ root, silenceLimitMilliseconds });
const folder = mkdtempSync(join(tmpdir(), 'sellthrough-test-'));
const fastFolder = memoryFolder() ?? folder;
const removers: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
if (fastFolder !== folder) removers.push(() => rmSync(fastFolder, { recursive: true, force: true }));
process.once('exit', () => {
  for (const path of [folder, fastFolder]) rmSync(path, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    workers.kill(signal);
    process.exit(130); // the throwaway server watches this process and stops with it
  });
}

const statementRuns = createStatementRuns();
// Passes are remembered only for the default server, browser and corpus. A run with chosen files or titles always runs
// them.
const hasOtherMeans = Object.keys(process.env).some((name) => /^(TEST|PROOF|MODEL)_/.test(name));
const runsAll = files.length > 0 || grep !== undefined || isAgain || isWhole || hasOtherMeans;
/** Leaves out what is tagged @nightly. A chosen file or title runs whole. */
const isGate = !isWhole && files.length === 0 && grep === undefined;
const unchanged = runsAll ? null : createUnchangedWork(root, sourceOf);
const times: { label: string; seconds: number; cpuSeconds: number | undefined }[] = [];
const total = await runAll();
for (const remove of removers.reverse()) await remove();
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed > 0 ? 1 : 0;

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        grep: { type: 'string' },
        times: { type: 'boolean', default: false },
        again: { type: 'boolean', default: false },
        whole: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    // With a chosen title or file, only tests run, without the static checks.
    const narrowed = values.grep !== undefined || positionals.length > 0;
    const wanted = values.only ?? (narrowed ? groups.filter((group) => group !== 'static') : groups);
    return {
      only: new Set<Group>(
        wanted.map((name) => groups.find((group) => group === name) ?? stop(`There is no group "${name}".`)),
      ),
      grep: values.grep,
      files: positionals,
      showsTimes: values.times,
      /** Also runs files that passed and whose sources have not changed. */
      isAgain: values.again,
      /** Runs service tests on every database, even those that hardly differ. Chosen with --only and a file. */
      isWhole: values.whole || (values.only !== undefined && positionals.length > 0),
    };
  } catch (error) {
    return stop(error instanceof Error ? error.message : String(error));
  }
}

function stop(sentence: string): never {
  console.error(`${sentence}\n${usage}`);
  process.exit(2);
}

async function runAll(): Promise<{ passed: number; failed: number; skipped: number }> {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  const started = performance.now();
  const steps = makeSteps();
  const lines: string[] = [];
  const work = steps.flatMap((step) => {
    const counts = { passed: 0, failed: 0, skipped: 0, left: step.parts.length, cpuSeconds: 0 };
    if (step.parts.length === 0 && files.length === 0) {
      sum.failed += 1;
      failures.push(`${step.name}: there is no file`);
    }
    return step.parts.map((part) => ({
      ...part,
      async run() {
        const began = performance.now();
        const outcome = await part.run().catch(broken);
        const seconds = (performance.now() - began) / 1000;
        times.push({ label: part.label, seconds, cpuSeconds: outcome.cpuSeconds });
        for (const name of ['passed', 'failed', 'skipped'] as const) {
          counts[name] += outcome[name];
          sum[name] += outcome[name];
        }
        counts.cpuSeconds += outcome.cpuSeconds ?? 0;
        failures.push(...outcome.failures.map((text) => `${part.label}\n${text}`));
        const mark = outcome.failed > 0 ? '✖ FAILED' : '✔';
        if (part.file === undefined || outcome.text !== '') {
          console.log(`\n▶ ${part.label}${outcome.text === '' ? '' : `\n${outcome.text}`}`);
          console.log(`${mark} ${part.label} (${seconds.toFixed(1)} s)`);
        }
        counts.left -= 1;
        if (counts.left > 0) return;
        const { passed, failed } = counts;
        const empty = passed + failed + counts.skipped === 0 && grep === undefined && files.length === 0;
        if (empty) {
          sum.failed += 1;
          failures.push(`${step.name}: no test was run`);
        }
        const sign = failed > 0 || empty ? '✖ FAILED' : '✔';
        const computed = counts.cpuSeconds > 0 ? `, ${counts.cpuSeconds.toFixed(1)} s of computing` : '';
        lines.push(`${sign} ${step.name}: ${passed} passed, ${failed} failed${computed}`);
      },
    }));
  });
  await runInLanes(longestFirst(work), lanes);
  for (const problem of await workers.end()) {
    sum.failed += 1;
    failures.push(problem);
  }
  unchanged?.save();
  // Only a run of all service tests can show that a query ran nowhere.
  const ranAll = (['postgres', 'groups', 'embedded'] as const).every((group) => only.has(group));
  if (files.length === 0 && grep === undefined && ranAll) {
    statementRuns.write(join(root, 'node_modules', '.cache', 'statement-runs.json'));
    const missing = statementRuns.problems(root);
    const isWrong = missing.length > 0;
    sum[isWrong ? 'failed' : 'passed'] += 1;
    lines.push(`${isWrong ? '✖ FAILED' : '✔'} every query ran on every database: ${missing.length} did not`);
    if (isWrong) failures.push(`queries without a run (scripts/test-groups.ts)\n${missing.join('\n')}`);
  }
  console.log(`\n${lines.join('\n')}`);
  if (sum.passed + sum.failed === 0) {
    failures.push('No test was run.');
    sum.failed = 1;
  }
  if (showsTimes) console.log(`\n${timesTable(performance.now() - started)}`);
  if (failures.length > 0) console.log(`\n✖ failed:\n\n${failures.join('\n\n')}`);
  return sum;
}

function makeSteps(): readonly Step[] {
  const tool = (name: string, ...args: string[]): Step => ({
    name,
    parts: [{ label: name, file: undefined, weight: 1, run: () => runTool(args) }],
  });
  const colors = color ? 'force' : 'off';
  const steps: Step[] = [];
  if (only.has('static')) {
    steps.push(
      tool('types', ...compiler('types'), '--project', 'tsconfig.json'),
      tool(
        'types of the pages',
        ...compiler('types-of-the-pages'),
        '--project',
        'web/tsconfig.json',
        '--noEmit',
      ),
      tool('format and lint', '@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', `--colors=${colors}`),
      tool('dead code', 'knip/bin/knip.js'),
      tool('rules of openapi.json', '../scripts/lint-openapi.ts'),
      tool('texts of the pages', '../scripts/check-texts.ts'),
      tool('prose', '../scripts/check-prose.ts'),
      tool('spelling', '../scripts/check-spelling.ts'),
    );
  }
  const suites: readonly (readonly [group: Group, name: string, files: readonly string[]])[] = [
    // These run one after another, so they start early.
    ['embedded', 'service tests on the embedded database', serviceTests(runsEmbedded)],
    ['unit', 'unit tests', chooseFiles('test/unit/*.test.ts')],
    ['postgres', 'service tests on PostgreSQL', serviceTests(runsInOneGroup)],
    ['groups', 'service tests on PostgreSQL in account groups', serviceTests(runsInEveryPlace)],
    ['program', 'tests of the whole program', chooseFiles('test/process/*.test.ts')],
    [
      'tools',
      'tests of the command line, the package, the client and the examples',
      chooseFiles('test/tools/*.test.ts'),
    ],
    ['browser', 'tests of the pages in a browser', chooseFiles('test/browser/*.test.ts')],
  ];
  const chosen = suites.filter(
    ([group, , found]) => only.has(group) && (found.length > 0 || files.length === 0),
  );
  const settings = prepare(
    chosen.flatMap(([group, , found]) => found.map((file) => ({ group, readsPages: readsBuiltPages(file) }))),
  );
  for (const [group, name, found] of chosen) {
    const suffix = group === 'embedded' || group === 'groups' ? ` (${group})` : '';
    steps.push({
      name,
      parts: found.map((file) => {
        const setting = settings(group, readsBuiltPages(file));
        const label = file + suffix;
        return {
          label,
          file,
          weight: waitsMostly(file) ? waitingWeight : 1,
          after: setting,
          ...(group === 'embedded' && { queue: 'embedded' }),
          run: async () => {
            const last = group === 'unit' ? undefined : unchanged?.find(label, file);
            if (last !== undefined) {
              statementRuns.add(group, file, last.statements);
              return asBefore(last);
            }
            const titles = isWhole ? undefined : testsIn(group, file);
            const { kind, environment } = await setting;
            const report = await workers.run(kind, { file, titles, environment });
            const { statements } = report;
            statementRuns.add(group, file, statements);
            const outcome = outcomeOf(file, report);
            // Do not remember a skipped test, because what it lacks today may exist tomorrow.
            if (outcome.failed + outcome.skipped === 0)
              unchanged?.note(label, file, { passed: outcome.passed, statements });
            return outcome;
          },
        };
      }),
    });
  }
  return steps;
}

/** One thread takes 40 % less CPU time than four, which all check the same shared types. */
function compiler(name: string): readonly [string, ...string[]] {
  const memory = ['--incremental', '--tsBuildInfoFile', `node_modules/.cache/${name}.tsbuildinfo`];
  return ['typescript/bin/tsc', '--singleThreaded', ...memory];
}

function serviceTests(runsThere: (file: string) => boolean): readonly string[] {
  return chooseFiles('test/service/*.test.ts').filter((file) => isWhole || runsThere(file));
}

/** Every started program serves the pages, but few tests look at them. */
function sourceOf(file: string): TestSource {
  const text = readFileSync(join(root, file), 'utf8');
  const startsPrograms = /^test\/(process|tools)\//.test(file);
  return {
    readsPages: startsPrograms ? /\/panel\b|\bpages\b|\bdocs\b/i.test(text) : readsBuiltPages(file),
    text,
  };
}

/** True for whole programs and browsers, and for tests that name the folder. Services inside tests have no pages. */
function readsBuiltPages(file: string): boolean {
  return (
    /^test\/(process|tools|browser)\//.test(file) ||
    /\bbuilt(Pages|Docs)Folder\b/.test(readFileSync(join(root, file), 'utf8'))
  );
}

function chooseFiles(pattern: string): readonly string[] {
  const found = globSync(pattern, { cwd: root }).sort();
  if (isGate) return found.filter((file) => !runsNightly(file));
  return files.length === 0 ? found : found.filter((file) => files.some((part) => file.includes(part)));
}

/**
 * Starts to make what files share. Each group's settings resolve as soon as its own part is ready: static checks and unit
 * tests need none, and most service tests do not wait for the pages.
 */
function prepare(
  wanted: readonly { readonly group: Group; readonly readsPages: boolean }[],
): (group: Group, readsPages: boolean) => Promise<TestSetting> {
  const flags = [
    '--disable-warning=ExperimentalWarning',
    '--import=./scripts/registration-hook.ts',
    `--test-timeout=${testTimeoutMilliseconds}`,
    '--test-reporter=./scripts/worker-reporter.ts',
    '--test-reporter-destination=stdout',
    ...(grep === undefined ? [] : [`--test-name-pattern=${escapeForPattern(grep)}`]),
  ];
  const shared = {
    ...environmentOfTests(),
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'sellthrough'),
    TEST_FOLDER: fastFolder,
    ...(isGate && { TEST_GATE: '1' }),
  };
  const of = (...groups: Group[]) => wanted.some(({ group }) => groups.includes(group));
  const server = of('postgres', 'groups', 'program', 'tools', 'browser') ? preparePostgres() : null;
  const postgres =
    server !== null && of('postgres', 'program', 'tools', 'browser') ? prepareTemplate(server, 1) : {};
  const inGroups = server !== null && of('groups') ? prepareTemplate(server, accountGroupsOfTests) : {};
  // Tests of whole programs also copy this template, unless they test the first start.
  const embedded = of('embedded', 'program', 'tools') ? prepareEmbedded() : {};
  const browser = of('browser') ? prepareBrowser() : {};
  const startsPrograms = of('program', 'tools');
  const pages = wanted.some(({ readsPages }) => readsPages) ? preparePages(startsPrograms) : {};
  const started = startsPrograms ? { TEST_PROGRAM: testedProgramFolder } : {};
  // A process that has run many files has loaded and optimized most of the code, so groups share processes where they can.
  const ordinary = {
    environment: { ...shared, TEST_DATABASE: 'postgres' },
    flags: [...workerFlags, ...flags],
  };
  const onEmbedded = {
    environment: { ...shared, TEST_DATABASE: 'embedded' },
    flags: [...workerFlags, ...flags],
  };
  const brief = { ...ordinary, flags: [...briefFlags, ...flags] };
  type Variables = Readonly<Record<string, string>>;
  const setting = async (
    kind: WorkerKind,
    ...variables: (Variables | Promise<Variables>)[]
  ): Promise<TestSetting> => ({
    kind,
    environment: Object.assign({}, ...(await Promise.all(variables))),
  });
  const all: Record<Group, () => Promise<TestSetting>> = {
    static: () => setting(ordinary),
    unit: () => setting(ordinary),
    postgres: () => setting(ordinary, postgres),
    groups: () => setting(ordinary, inGroups),
    embedded: () => setting(onEmbedded, embedded),
    program: () => setting(brief, embedded, postgres, started),
    tools: () => setting(brief, embedded, postgres, started),
    browser: () => setting(ordinary, postgres, browser),
  };
  const known = new Map<Group, Promise<TestSetting>>();
  return (group, readsPages) => {
    const ofGroup = known.get(group) ?? all[group]();
    known.set(group, ofGroup);
    return readsPages ? Promise.all([ofGroup, pages]).then(([ready]) => ready) : ofGroup;
  };
}

async function preparePostgres(): Promise<PostgresOfTests> {
  const server = await postgresWithTemplates(fastFolder === folder ? undefined : fastFolder);
  console.log(server.description);
  removers.push(server.remove);
  return server;
}

async function prepareTemplate(server: Promise<PostgresOfTests>, accountGroups: number) {
  const { url, socketUrl, template } = await server;
  return {
    TEST_DATABASE_URL: url,
    TEST_DATABASE_SOCKET_URL: socketUrl,
    TEST_DATABASE_TEMPLATE: await template(accountGroups),
  };
}

async function prepareEmbedded() {
  return { TEST_EMBEDDED_TEMPLATE: await embeddedTemplate(fastFolder) };
}

/** Builds the pages, and the program where tests start it. Returns at once if no source has changed. */
async function preparePages(startsPrograms: boolean) {
  const child = spawn(
    process.execPath,
    ['scripts/build-pages.mjs', ...(startsPrograms ? ['--program'] : [])],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error('The pages could not be built.');
  return {};
}

async function prepareBrowser() {
  const { chromiumForTests } = await import('./chromium-for-tests.ts');
  console.log((await chromiumForTests()).description);
  return {};
}

function outcomeOf(file: string, { facts, output, ending, cpuSeconds }: FileReport): Outcome {
  const count = (wanted: 'passed' | 'failed' | 'skipped') =>
    facts.filter(({ kind, counts }) => counts && kind === wanted).length;
  const lines: string[] = [];
  const failures: string[] = [];
  for (const { kind, text, depth, milliseconds = 0, error } of facts) {
    if (depth === 0 && kind !== 'failed') continue;
    const indent = '  '.repeat(depth);
    if (kind === 'note') lines.push(`${indent}ℹ ${text}`);
    else if (kind === 'skipped') lines.push(`${indent}﹣ ${text}${error === undefined ? '' : ` # ${error}`}`);
    else lines.push(`${indent}${kind === 'passed' ? '✔' : '✖'} ${text} (${Math.round(milliseconds)} ms)`);
    if (kind === 'failed' && error !== undefined) failures.push(`✖ ${text}\n${indented(error)}`);
  }
  const ran = facts.some(({ kind, depth }) => depth > 0 && kind !== 'note');
  const problems: string[] = [];
  if (ending !== undefined) problems.push(`${file} left before its tests ended: ${ending}.`);
  else if (!ran && failures.length === 0 && grep === undefined) problems.push(`${file} ran no test.`);
  const printed = output.trimEnd();
  const failed = count('failed') + problems.length;
  return {
    passed: count('passed'),
    failed,
    skipped: count('skipped'),
    text: [...lines, ...(printed === '' ? [] : [indented(printed)]), ...failures, ...problems].join('\n'),
    failures: [...failures, ...problems],
    cpuSeconds: ending === undefined ? cpuSeconds : undefined,
  };
}

function asBefore({ passed }: Passed): Outcome {
  const text = 'unchanged since it passed';
  return { passed, failed: 0, skipped: 0, text, failures: [], cpuSeconds: undefined };
}

function broken(error: unknown): Outcome {
  const text = error instanceof Error ? String(error.stack) : String(error);
  return { passed: 0, failed: 1, skipped: 0, text, failures: [text], cpuSeconds: undefined };
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

async function runTool([script = '', ...args]: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [join('node_modules', script), ...args], {
    cwd: root,
    env: { ...environmentOfTests(), ...(color ? { FORCE_COLOR: '1' } : {}) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const text = output.trimEnd();
  const nothing = { skipped: 0, cpuSeconds: undefined };
  if (code === 0) return { ...nothing, passed: 1, failed: 0, text: '', failures: [] };
  return { ...nothing, passed: 0, failed: 1, text, failures: [text] };
}

function environmentOfTests(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !hiddenFromTests.test(name)));
}

function timesTable(wholeMilliseconds: number): string {
  const rows = times
    .sort((a, b) => (b.cpuSeconds ?? b.seconds) - (a.cpuSeconds ?? a.seconds))
    .map(({ label, seconds, cpuSeconds }) => {
      const computed = cpuSeconds === undefined ? '-' : cpuSeconds.toFixed(1);
      return `${computed.padStart(10)} ${seconds.toFixed(1).padStart(10)}  ${label}`;
    });
  const [user, system] = processorSeconds();
  const whole = `${(wholeMilliseconds / 1000).toFixed(1)} s in all; ${user.toFixed(1)} s of user and ${system.toFixed(1)} s of system time of everything that has ended`;
  return [' computed s     wall s', ...rows, whole].join('\n');
}

/** The CPU time of this process and, on Linux only, of its ended children. */
function processorSeconds(): [user: number, system: number] {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return [user / 1e6, system / 1e6];
  }
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? [];
  const ticks = (first: number, second: number) => ((fields[first] ?? 0) + (fields[second] ?? 0)) / 100;
  return [ticks(11, 13), ticks(12, 14)];
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
