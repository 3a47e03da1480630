// Refusals of a text in a body show a valid example instead of the pattern.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccountBodySchema } from '../../src/features/accounts/account-admin-schemas.ts';
import { alertsBodySchema } from '../../src/features/alerts/alert-schemas.ts';
import { createBodyCheck, createBodyReader } from '../../src/platform/http/body-reader.ts';

test('an amount that cannot be read is answered with an example of one', () => {
  const check = createBodyCheck(alertsBodySchema);
  assert.deepEqual(check({ balance_below: 'much' })?.details, {
    field: 'balance_below',
    reason: 'must be like "50.00"',
  });
  assert.equal(check({ balance_below: '12.5' }), null);
});

test('a text without an example is not answered with a pattern either', () => {
  const refused = createBodyCheck(createAccountBodySchema)({
    username: 'no spaces',
    display_name: 'x',
    group: 'reseller',
  });
  assert.equal(refused?.details['field'], 'username');
  assert.doesNotMatch(String(refused?.details['reason']), /pattern|\^/);
});

test('a body with the fields of a refusal is a body', () => {
  const body = { emails: [], code: 'not_found', details: { field: 'none' } };
  assert.equal(createBodyCheck(alertsBodySchema)(body), null);
  assert.equal(createBodyReader(alertsBodySchema)(body), body);
});
