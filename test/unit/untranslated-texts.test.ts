// The lint rule web/untranslated.grit finds untranslated texts. Biome only notes a rule that fails, so this tests it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

const found = [
  '<button>Sign out</button>',
  '<p>{isOpen ? "Close" : t`Open`}</p>',
  '<input placeholder="Search" />',
  '<section aria-label="Last orders" />',
  '<Button title={"Sign out"} />',
  '<Table columns={[{ title: "Good day" }]} />',
];
const passed = [
  '<button>{t`Sign out`}</button>',
  '<Trans>Sign out of <b>{name}</b></Trans>',
  '<p className="flex items-center">–</p>',
  '<code>POST /orders</code>',
  '<p>{name === "First key" ? t`First key` : plural(count, { one: "Invite # person", other: "Invite # people" })}</p>',
  '<input placeholder="203.0.113.7" />',
];

test('the linter finds each text that is not translated, and no other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'untranslated-'));
  try {
    const rules = { preset: 'none' };
    const config = { plugins: [join(root, 'web/untranslated.grit')], linter: { rules } };
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
    const lines = [...found, ...passed].map((jsx) => `${jsx};`);
    writeFileSync(join(folder, 'page.tsx'), lines.join('\n'));
    const { stdout } = spawnSync(process.execPath, [biome, 'lint', '--reporter=github', 'page.tsx'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    const reported = [...stdout.matchAll(/line=(\d+)/g)].map(([, line]) =>
      lines[Number(line) - 1]?.slice(0, -1),
    );
    assert.deepEqual(reported.toSorted(), found.toSorted());
  } finally {
    rmSync(folder, { recursive: true });
  }
});
