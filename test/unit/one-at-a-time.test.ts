import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('a program that runs inside the lock prepares without waiting for it', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'sellthrough-lock-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'scripts'));
  const source = fileURLToPath(new URL('../../scripts/one-at-a-time.mjs', import.meta.url));
  cpSync(source, join(folder, 'scripts', 'one-at-a-time.mjs'));
  writeFileSync(
    join(folder, 'scripts', 'nested.mjs'),
    `import { oneAtATime, runToTheEnd } from './one-at-a-time.mjs';
    const depth = Number(process.argv[2]);
    await oneAtATime(async () => {
      console.log('at depth ' + depth);
      if (depth > 0) return;
      const problem = await runToTheEnd(process.execPath, ['scripts/nested.mjs', '1'], { cwd: process.cwd() });
      console.log(problem ?? 'done');
    });`,
  );
  const { stdout, signal } = spawnSync(process.execPath, ['scripts/nested.mjs', '0'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 30_000,
  });
  assert.deepEqual([stdout, signal], ['at depth 0\ndone\n', null]);
  assert.ok(!existsSync(join(folder, '.prepare-lock')));
});
