// A form sends only changed fields.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedFields } from '../../web/src/api/changed-fields.ts';

test('only fields that are another value now are sent, lists by what is in them, a new field and a null too', () => {
  const before: Record<string, unknown> = { name: 'Shop', ips: ['::1'], limit: 30, scopes: null };
  assert.deepEqual(changedFields(before, { ...before, ips: ['::1'] }), {});
  assert.deepEqual(changedFields(before, { ...before, ips: [], limit: null }), { ips: [], limit: null });
  assert.deepEqual(changedFields(before, { ...before, scopes: ['a'], ends: null }), {
    scopes: ['a'],
    ends: null,
  });
});
