// The list of variables, which .env and the documents are made from, and config.ts, which reads them, must know the
// same ones.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { configurationChapters } from '../../src/configuration-variables.ts';

const listed = configurationChapters.flatMap(({ variables }) => variables);

test('every variable that the configuration reads is listed, and no other', () => {
  const asked = new Set<string>();
  const environment = new Proxy<Record<string, string>>(
    {},
    {
      get(_target, name) {
        if (typeof name === 'string') asked.add(name);
        return undefined;
      },
    },
  );
  readConfig(environment);
  assert.ok(asked.size > 10);
  assert.deepEqual(listed.map(({ name }) => name).sort(), [...asked].sort());
});

test('every default that is a value is the one the configuration takes, and every example is taken', () => {
  const asIs = readConfig({});
  for (const { name, otherwise, example } of listed) {
    const isValue = /^(?!none$|embedded)\S+$/.test(otherwise);
    if (isValue) assert.deepEqual(readConfig({ [name]: otherwise }), asIs, name);
    if (example === undefined) continue;
    assert.notDeepEqual(readConfig({ SECRET_KEY: 'x'.repeat(32), [name]: example }), asIs, name);
  }
});

test('the operator’s document names every variable', () => {
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  for (const { name } of listed) assert.ok(text.includes(`\`${name}\``), name);
});
