// The code blocks of the guide are copies of the tested examples/small-product/.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const guide = read('docs/small-product.md');

for (const language of ['ts', 'php']) {
  test(`every block in ${language} of the guide stands in small-product.${language}`, () => {
    const program = read(`examples/small-product/small-product.${language}`);
    const blocks = [...guide.matchAll(new RegExp(`\n\`\`\`${language}\n([\\s\\S]*?\n)\`\`\`\n`, 'g'))];
    assert.ok(blocks.length >= 3);
    for (const [, block = ''] of blocks)
      assert.ok(program.includes(`\n${block}`), `not in the program:\n${block}`);
  });
}
