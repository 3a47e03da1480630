// `npm run proof`: runs the long forms of proof/machines one after another, with a line for each result. `--share 0.1` runs
// a tenth of everything, `--only name` (repeatable) only some, `--seed` another run. `--write` puts the table into
// docs/reliability.md.
// Invariant: the exit code is 0 only if every requested machine succeeded.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { postgresForTests } from '../scripts/throwaway-postgres.ts';

interface Machine {
  readonly name: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** Selects the result lines of its output. */
  readonly result: RegExp;
}

interface Outcome {
  readonly machine: Machine;
  readonly passed: boolean;
  readonly result: string;
  readonly seconds: number;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const reportFile = `${root}docs/reliability.md`;
const [tableBegins, tableEnds] = ['<!-- figures: npm run proof -- --write -->', '<!-- end of figures -->'];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    // A new seed each day. The printed command repeats it.
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10).replaceAll('-', '') },
    share: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const { seed } = values;
const share = Number(values.share);
if (!(share > 0)) stop('--share is a number above 0.');

const tableHead = ['| Machine | Command | Result | Seconds | Run |', '|---|---|---|---|---|'];
const day = new Date().toISOString().slice(0, 10);
const processor = `${availableParallelism()} cores of ${cpus()[0]?.model}`;

const lastLine = /^.+$(?!\s*^.)/m;
const testLines = /^ℹ (?:pass \d+|fail \d+|.*seed.*|\d+ (?:orders|cases|requests).*)$/gm;
const onPostgres = { TEST_DATABASE: 'postgres' };
const onEmbedded = { TEST_DATABASE: 'embedded' };
const modelSeconds = { MODEL_SECONDS: String(share * 300), MODEL_SEED: seed };

const machines: readonly Machine[] = [
  long('core', 'long-core', '--operations', count(20_000_000)),
  long('hand-off', 'long-hand-off', '--histories', count(10_000)),
  test('model on the embedded database', 'test/service/model.test.ts', { ...onEmbedded, ...modelSeconds }),
  test('model on PostgreSQL', 'test/service/model.test.ts', { ...onPostgres, ...modelSeconds }),
  test('model of test mode on the embedded database', 'test/service/model-of-test-mode.test.ts', {
    ...onEmbedded,
    ...modelSeconds,
  }),
  test('model of test mode on PostgreSQL', 'test/service/model-of-test-mode.test.ts', {
    ...onPostgres,
    ...modelSeconds,
  }),
  test('moves of a test clock that are killed', 'proof/test-clock-kill.test.ts', {
    CLOCK_KILLS: '10',
  }),
  long('payments', 'long-payments', '--histories', count(2_000), '--killed', count(100)),
  long('crowd', 'long-crowd', '--seconds', count(300)),
  long('crowd in both modes', 'long-crowd', '--seconds', count(300), '--test-mode'),
  long('kills on the embedded database', 'long-kill', '--database', 'embedded', '--kills', count(500)),
  long('kills on PostgreSQL', 'long-kill', '--database', 'postgres', '--kills', count(500)),
  long('broken database', 'long-broken-database', '--rounds', count(5)),
  long('failover', 'long-failover', '--rounds', count(3)),
  // Runs behind the proxies that are installed.
  long('restarts', 'long-restarts', '--rounds', count(20), '--kills', count(5)),
  long('failover under Patroni', 'long-patroni-failover'),
  long('containers', 'long-containers', '--kills', count(6)),
  test('no profit', 'test/unit/no-profit.test.ts', { PROOF_CHAINS: count(50_000) }),
  test('allowed prices', 'test/unit/allowed-prices.test.ts', { PROOF_CHAINS: count(50_000) }),
  test('rate limit', 'test/service/rate-limit-exact.test.ts', onEmbedded),
  long('shared limits', 'long-shared-limits', '--rounds', '1'),
  test('refusals', 'proof/refusals/refusals.test.ts', onEmbedded),
  test('corpora', 'test/service/corpora.test.ts', { ...onPostgres, PROOF_CORPORA: 'all' }),
  { ...long('fuzz', 'long-fuzz', '--seconds', count(300)), environment: onPostgres },
  test('fuzz of the panel', 'test/service/panel-fuzz.test.ts', {
    ...onPostgres,
    PROOF_REQUESTS: count(20_000),
  }),
  test('a million rows of one account', 'test/service/million-rows.test.ts', {
    ...onPostgres,
    PROOF_ROWS: count(1_000_000),
  }),
  test('secrets', 'test/service/secrets.test.ts', onPostgres),
  test('package, installed by npm', 'test/tools/package.test.ts', { ...onPostgres, PROOF_INSTALL: '1' }),
  test('properties', 'test/unit/{amounts,order-request,sdk-transport,sliding-window,times}.test.ts', {}),
  ...(
    [
      ['embedded', 'service tests on the embedded database'],
      ['postgres', 'service tests on PostgreSQL'],
      ['groups', 'service tests in account groups'],
    ] as const
  ).map(([place, name]) => ({
    name,
    args: ['scripts/test.ts', '--only', place, '--whole'],
    result: lastLine,
  })),
  {
    name: 'tests of the program, the tools and the pages, with those that the gate leaves out',
    args: ['scripts/test.ts', '--only', 'program', '--only', 'tools', '--only', 'browser', '--whole'],
    result: lastLine,
  },
  test('CSV in LibreOffice', 'proof/libreoffice.test.ts', onEmbedded),
  test('every page in every theme', 'test/browser/{every-page,docs-site}.test.ts', {
    ...onEmbedded,
    PROOF_PAGES: 'all',
  }),
  { ...long('seeded bugs', 'long-seeded-bugs', ...(values.write ? ['--write'] : [])) },
];

const names = machines.map(({ name }) => name);
for (const name of values.only ?? [])
  if (!names.some((one) => one.startsWith(name)))
    stop(`No machine is called "${name}": ${names.join(', ')}.`);
const chosen = machines.filter(
  ({ name }) => values.only === undefined || values.only.some((wanted) => name.startsWith(wanted)),
);

const postgres = await postgresForTests();
const outcomes: Outcome[] = [];
try {
  for (const machine of chosen) {
    process.stdout.write(`\n▶ ${machine.name}: ${commandOf(machine)}\n`);
    const outcome = await run(machine);
    outcomes.push(outcome);
    process.stdout.write(`${outcome.passed ? '✔' : '✖ FAILED'} ${machine.name} (${outcome.seconds} s)\n`);
  }
} finally {
  await postgres.remove();
}
const failed = outcomes.filter(({ passed }) => !passed).length;
if (values.write) write();
process.stdout.write(
  `\n${[...tableHead, ...outcomes.map(rowOf)].join('\n')}\n\n${outcomes.length - failed} passed, ${failed} failed\n`,
);
process.exitCode = failed === 0 ? 0 : 1;

function count(whole: number): string {
  return String(Math.max(1, Math.round(whole * share)));
}

function long(name: string, file: string, ...args: string[]): Machine {
  const seeded = file === 'long-seeded-bugs' ? [] : ['--seed', seed];
  return { name, args: [`proof/machines/${file}.ts`, ...args, ...seeded], result: lastLine };
}

function test(name: string, file: string, environment: Readonly<Record<string, string>>): Machine {
  return {
    name,
    environment: { ...environment, PROOF_SEED: seed },
    args: ['--test', file],
    result: testLines,
  };
}

function run(machine: Machine): Promise<Outcome> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, machine.args, {
      cwd: root,
      env: { ...process.env, TEST_DATABASE_URL: postgres.url, ...machine.environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      process.stdout.write(text);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      const result = (output.trimEnd().match(machine.result) ?? ['it said nothing']).join('; ');
      const seconds = Math.round((performance.now() - began) / 1000);
      resolve({ machine, passed: code === 0, result: shortened(result), seconds });
    });
  });
}

/** Removes the test runner's marks and the counts by kind of answer. */
function shortened(result: string): string {
  return result.replaceAll('ℹ ', '').replaceAll(/: \{[^}]*\}/g, '');
}

function commandOf({ environment = {}, args }: Machine): string {
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return [...settings, 'node', ...args].join(' ');
}

function rowOf({ machine, passed, result, seconds }: Outcome): string {
  const shown = `${passed ? '' : '**failed:** '}${result}`;
  return `| ${machine.name} | \`${commandOf(machine)}\` | ${shown} | ${seconds} | ${day}, ${processor} |`;
}

function write(): void {
  const text = readFileSync(reportFile, 'utf8');
  const [before, rest] = text.split(tableBegins);
  const [, after] = rest?.split(tableEnds) ?? [];
  if (before === undefined || rest === undefined || after === undefined) {
    process.stderr.write(`${reportFile} has no place for the figures.\n`);
    process.exitCode = 1;
    return;
  }
  // Machines that did not run keep their last row.
  const earlier = new Map(
    rest.split('\n').map((row): [string, string] => [row.split('|')[1]?.trim() ?? '', row]),
  );
  for (const outcome of outcomes) earlier.set(outcome.machine.name, rowOf(outcome));
  const rows = names.flatMap((name) => earlier.get(name) ?? []);
  const figures = [...tableHead, ...rows].join('\n');
  writeFileSync(reportFile, `${before}${tableBegins}\n\n${figures}\n\n${tableEnds}${after}`);
}

function stop(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
