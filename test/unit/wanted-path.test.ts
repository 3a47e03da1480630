import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wantedPath } from '../../web/src/features/auth/wanted-path.ts';

const wanted = (next: string, pathname = '/panel/sign-in') =>
  wantedPath('/panel', { pathname, search: `?next=${encodeURIComponent(next)}` });

test('a sign-in page leads to the page that its address names, but nowhere outside the panel', () => {
  assert.equal(wanted('/orders?kind=renew'), '/orders?kind=renew');
  for (const next of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example/',
    'javascript:alert(1)',
    'evil.example',
    '/sign-in',
    '',
  ])
    assert.equal(wanted(next), '/', next);
});

test('a page that was opened without a session is opened again after the sign-in, with its filters', () => {
  const opened = { pathname: '/panel/orders', search: '?kind=renew&next=//evil.example/' };
  assert.equal(wantedPath('/panel', opened), '/orders?kind=renew&next=//evil.example/');
  assert.equal(wantedPath('/panel', { pathname: '/panel/sign-in', search: '' }), '/');
  assert.equal(wanted('/orders', '/panel/sign-in/'), '/orders');
});
