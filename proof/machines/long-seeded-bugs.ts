// node proof/machines/long-seeded-bugs.ts [--only text] [--write]
// Applies each of seeded-bugs.ts to a copy of the sources and runs its test. --write updates docs/seeded-bugs.md.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { type SeededBug, seededBugs } from './seeded-bugs.ts';
import { whenThisEnds } from './service-process.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, write: { type: 'boolean', default: false } },
});
const secondsMax = 60;
const patienceMilliseconds = 120_000;
const root = fileURLToPath(new URL('../../', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'sellthrough-bugs-'));
// Interrupted tests leave files here, which are removed with the copy. PostgreSQL's own user must be able to enter it.
const leftBehind = join(copy, 'tmp');
mkdirSync(leftBehind);
for (const folder of [copy, leftBehind]) chmodSync(folder, 0o711);
const postgres = await startThrowawayPostgres();

interface Verdict {
  readonly bug: SeededBug;
  readonly caughtBy: string | null;
  readonly seconds: number;
}

const verdicts: Verdict[] = [];
try {
  for (const part of [
    'proof',
    'src',
    'test',
    'scripts',
    'docs',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'openapi.json',
  ]) {
    cpSync(join(root, part), join(copy, part), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const bug of seededBugs.filter(({ name }) => name.includes(values.only))) {
    const verdict = await tryBug(bug);
    verdicts.push(verdict);
    const said = verdict.caughtBy === null ? 'NOT CAUGHT' : `caught: ${verdict.caughtBy}`;
    process.stdout.write(`${bug.name} (${verdict.seconds} s): ${said}\n`);
  }
} finally {
  await postgres.remove();
  rmSync(copy, { recursive: true, force: true });
}

const unseen = verdicts.filter(({ caughtBy, seconds }) => caughtBy === null || seconds > secondsMax);
process.stdout.write(
  `${verdicts.length - unseen.length} caught, ${unseen.length} not caught within ${secondsMax} s\n`,
);
if (values.write) writeFileSync(join(root, 'docs/seeded-bugs.md'), table());
process.exitCode = unseen.length === 0 && verdicts.length > 0 ? 0 : 1;

async function tryBug(bug: SeededBug): Promise<Verdict> {
  const path = join(copy, bug.file);
  const original = readFileSync(path, 'utf8');
  if (original.split(bug.find).length !== 2)
    throw new Error(`"${bug.name}": its place is not in ${bug.file} exactly once.`);
  writeFileSync(
    path,
    original.replace(bug.find, () => bug.replace),
  );
  const began = performance.now();
  const caughtBy = await firstFailure(bug);
  const seconds = Math.round((performance.now() - began) / 1000);
  writeFileSync(path, original);
  return { bug, caughtBy, seconds };
}

async function firstFailure({ test, on }: SeededBug): Promise<string | null> {
  const child = spawn(process.execPath, ['--test', '--test-timeout=100000', '--test-reporter=tap', test], {
    cwd: copy,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      TEST_DATABASE: on ?? 'embedded',
      TEST_DATABASE_URL: postgres.url,
      PROOF_SEED: '1',
      MODEL_SECONDS: '40',
    },
  });
  const disarm = whenThisEnds('kill -KILL -- "-$1"', [String(child.pid)]);
  const gone = once(child, 'close');
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  };
  const patience = setTimeout(end, patienceMilliseconds);
  let caughtBy: string | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    const title = /^\s*not ok \d+ - (.*)$/.exec(line)?.[1];
    if (title === undefined) continue;
    caughtBy = title;
    break;
  }
  end();
  clearTimeout(patience);
  await gone;
  disarm();
  return caughtBy;
}

function table(): string {
  const rows = verdicts.map(
    ({ bug, caughtBy, seconds }) =>
      `| ${bug.name} | \`${bug.file}\` | ${caughtBy === null ? '**not caught**' : `${caughtBy} (\`${bug.test}\`)`} | ${seconds} |`,
  );
  return `# Seeded bugs

See which test catches which bug. This command puts each bug alone into a copy of the sources, runs the named test, and writes the table:

\`\`\`sh
node proof/machines/long-seeded-bugs.ts --write
\`\`\`

The bugs are in [proof/machines/seeded-bugs.ts](../proof/machines/seeded-bugs.ts).

| Bug | Where | Caught by | Seconds |
|---|---|---|---|
${rows.join('\n')}
`;
}
