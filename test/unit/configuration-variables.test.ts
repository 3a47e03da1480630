// The list of variables, from which .env and the documents are made, agrees with what config.ts reads.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readConfig } from '../../src/setup/config.ts';
import { ConfigProblem, configurationChapters } from '../../src/setup/settings.ts';

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
  const text = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  for (const { name } of listed) assert.ok(text.includes(`\`${name}\``), name);
});

test('roles that need a second factor, and the credit that takes a password, are read exactly or refused', () => {
  const { secondFactorRoles, creditConfirmedAboveCents } = readConfig({
    SECOND_FACTOR_ROLES: ' account:owner, operator:finance,,',
    CREDIT_CONFIRM_ABOVE: '0',
  });
  assert.deepEqual(
    [[...secondFactorRoles], creditConfirmedAboveCents],
    [['account:owner', 'operator:finance'], 0n],
  );
  for (const roles of ['owner', 'account:finance', 'operator:staff', 'account:owner operator:owner']) {
    assert.throws(() => readConfig({ SECOND_FACTOR_ROLES: roles }), ConfigProblem, roles);
  }
  for (const amount of ['-1', '1,000.00', 'none', '1e3', '9999999999999']) {
    assert.throws(() => readConfig({ CREDIT_CONFIRM_ABOVE: amount }), ConfigProblem, amount);
  }
});
