// What a body is told about a text that does not fit: an example of one that does, not the pattern.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccountBodySchema } from '../../src/features/accounts/account-admin-schemas.ts';
import { alertsBodySchema } from '../../src/features/alerts/alert-schemas.ts';
import { createBodyReader } from '../../src/platform/http/body-reader.ts';
import { isRefusal } from '../../src/shared/error-catalogue.ts';

test('an amount that cannot be read is answered with an example of one', () => {
  const read = createBodyReader(alertsBodySchema);
  const refused = read({ balance_below: 'a lot' });
  assert.ok(isRefusal(refused));
  assert.deepEqual(refused.details, { field: 'balance_below', reason: 'must be like "50.00"' });
  assert.ok(!isRefusal(read({ balance_below: '12.5' })));
});

test('a text without an example is not answered with a pattern either', () => {
  const read = createBodyReader(createAccountBodySchema);
  const refused = read({ username: 'no spaces', display_name: 'x', group: 'reseller' });
  assert.ok(isRefusal(refused));
  assert.equal(refused.details['field'], 'username');
  assert.doesNotMatch(String(refused.details['reason']), /pattern|\^/);
});
