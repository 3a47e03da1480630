// `npm run test:citus -- [part of a file's name]... | [--tests] [--crowd] [--kill] [--moves] [--crashes]`: the service's
// tests on Citus with two account groups; then the crowd, kills, group moves and server crashes. Not part of `npm test`:
// it needs the servers of TEST_CITUS_URL and TEST_CITUS_WORKERS.
// Invariant: it drops its databases at its end; those of a killed run are dropped by the next one.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inEveryPlace, notOnCitus } from '../scripts/test-groups.ts';
import {
  beginCitusRun,
  type CitusServers,
  citusServers,
  citusServersWanted,
} from '../scripts/throwaway/citus-database.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const atOnce = 2;
const fileMilliseconds = 900_000;

const servers = citusServers();
if (servers === null) {
  console.error(`${citusServersWanted} deploy/citus has them as containers.`);
  process.exit(2);
}
const { values: parts, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: 'boolean', default: false },
    crowd: { type: 'boolean', default: false },
    kill: { type: 'boolean', default: false },
    moves: { type: 'boolean', default: false },
    crashes: { type: 'boolean', default: false },
  },
});
const isEverything = files.length === 0 && !Object.values(parts).includes(true);
const results = new Map<string, boolean>();
if (isEverything || parts.tests || files.length > 0) results.set('tests', await runFiles(servers, files));
if (isEverything || parts.crowd)
  results.set('crowd', await runMachine('long-crowd', '--citus', '--seconds', '60'));
if (isEverything || parts.kill)
  results.set('kill', await runMachine('long-kill', '--database', 'citus', '--kills', '16'));
if (isEverything || parts.moves) results.set('moves', await runMachine('long-citus-moves', '--moves', '4'));
if (isEverything || parts.crashes)
  results.set('crashes', await runMachine('long-citus-crashes', '--crashes', '6'));
for (const [part, isPassed] of results) console.log(`${isPassed ? '✔' : '✖'} ${part}`);
process.exitCode = [...results.values()].every(Boolean) ? 0 : 1;

async function runMachine(name: string, ...words: string[]): Promise<boolean> {
  const child = spawn(process.execPath, [`proof/machines/${name}.ts`, ...words], {
    cwd: root,
    env: { ...process.env, TEST_DATABASE: 'postgres' },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'close');
  return code === 0;
}

async function runFiles(citus: CitusServers, wanted: readonly string[]): Promise<boolean> {
  const isWanted = (name: string) =>
    wanted.length === 0 || wanted.some((part) => `test/service/${name}.test.ts`.includes(part));
  const names = inEveryPlace.filter((name) => isWanted(name) && !(name in notOnCitus));
  const run = randomBytes(4).toString('hex');
  const { end } = await beginCitusRun(citus, run);
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort());
  const failed: string[] = [];
  try {
    const left = [...names];
    const work = async () => {
      for (let name = left.shift(); name !== undefined && !stopped.signal.aborted; name = left.shift()) {
        if (!(await runFile(name, run, stopped.signal))) failed.push(name);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    await end();
  }
  for (const [name, reason] of Object.entries(notOnCitus))
    if (isWanted(name)) console.log(`– ${name}: ${reason}`);
  if (stopped.signal.aborted) console.log('Stopped before the end.');
  console.log(
    `${names.length - failed.length} of ${names.length} files passed on Citus${failed.length === 0 ? '.' : `; failed: ${failed.join(', ')}.`}`,
  );
  return failed.length === 0 && !stopped.signal.aborted && names.length > 0;
}

async function runFile(name: string, run: string, signal: AbortSignal): Promise<boolean> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    ['--test', `--test-timeout=${fileMilliseconds}`, '--test-reporter=spec', `test/service/${name}.test.ts`],
    {
      cwd: root,
      env: { ...process.env, TEST_DATABASE: 'postgres', TEST_CITUS_RUN: run },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const stop = () => child.kill();
  const timer = setTimeout(stop, fileMilliseconds);
  signal.addEventListener('abort', stop);
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  const seconds = Math.round((performance.now() - began) / 1_000);
  const count = (what: string) => new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(printed)?.[1] ?? '0';
  const isPassed = code === 0;
  if (!isPassed) console.log(printed);
  console.log(
    `${isPassed ? '✔' : '✖'} ${name}: ${count('pass')} passed, ${count('fail')} failed, ${count('skipped')} skipped, ${seconds} s`,
  );
  return isPassed;
}
