// Refusals that depend on state rather than on a schema, and undocumented addresses. The requests before the refused one
// prepare the state and are recorded too.

import type { CaseLine, StepLine, Template } from './refusal-corpus.ts';

type Step = readonly [as: string, method: string, path: string, body?: unknown, key?: string];

const owner = 'owner key';
const operator = 'operator key';
const test = 'test key';
const session = 'owner session';
const admin = '/api/admin/v1';
const password = 'correct horse battery staple';
const order = (more: object = {}) => ({ package_id: '{#basic}', customer: '{buyer}', ...more });
const customer = '/api/v1/customers/{customer}';
const account = `${admin}/accounts/{account}`;
const people = '/panel/api/people';

const conflicts: Readonly<Record<string, readonly Step[]>> = {
  'cancel a canceled plan': [
    [owner, 'POST', `${customer}/cancel`, { at: 'now' }],
    [owner, 'POST', `${customer}/cancel`, { at: 'now' }],
    [owner, 'POST', `${customer}/cancel`, { at: 'period_end' }],
    [owner, 'POST', `${customer}/suspend`, {}],
    [owner, 'POST', `${customer}/resume`],
    [owner, 'PUT', `${customer}/auto-renew`, { months: 1 }],
    [owner, 'DELETE', `${customer}/auto-renew`],
    [operator, 'POST', `${admin}/customers/{customer}/cancel`, { at: 'now' }],
    [operator, 'POST', `${admin}/customers/{customer}/change-package`, { package_id: '{#plus}' }],
    [operator, 'POST', `${admin}/customers/{customer}/login-link`],
    [owner, 'POST', '/api/v1/orders/{order}/renew', {}],
  ],
  'cancel at the end, twice': [
    [owner, 'POST', `${customer}/cancel`, { at: 'period_end' }],
    [owner, 'POST', `${customer}/cancel`, { at: 'period_end' }],
    [owner, 'PUT', `${customer}/auto-renew`, { months: 1 }],
  ],
  'suspend and resume twice': [
    [owner, 'POST', `${customer}/suspend`, {}],
    [owner, 'POST', `${customer}/suspend`, {}],
    [owner, 'POST', '/api/v1/orders', order()],
    [owner, 'POST', `${customer}/cancel`, { at: 'now' }],
    [owner, 'POST', `${customer}/resume`],
    [owner, 'POST', `${customer}/resume`],
  ],
  'resume what the operator suspended': [
    [operator, 'PATCH', `${admin}/customers/{customer}`, { status: 'suspended' }],
    [owner, 'POST', `${customer}/resume`],
    [owner, 'POST', '/api/v1/orders', order()],
    [owner, 'POST', '/api/v1/orders/{order}/renew', {}],
    [session, 'POST', '/panel/api/customers/{customer}/login-link'],
    [operator, 'POST', `${admin}/customers/{customer}/login-link`],
  ],
  'order without the money': [
    [operator, 'POST', `${account}/credit`, { amount: '-1000.00' }],
    [owner, 'POST', '/api/v1/orders', order()],
    [owner, 'POST', '/api/v1/orders/preview', order()],
    [owner, 'POST', '/api/v1/orders/bulk', { orders: [order({ idempotency_key: 'one' })] }],
    [operator, 'POST', `${account}/credit`, { amount: '-0.01' }],
    ['operator session', 'POST', `/panel${account}/credit`, { amount: '-0.01', current_password: password }],
    [operator, 'POST', `${account}/credit`, { amount: '0' }],
    [operator, 'POST', `${account}/credit`, { amount: '999999999999.99' }],
    [operator, 'POST', `${account}/credit`, { amount: '999999999999.99' }],
  ],
  'order for more than the limit': [
    [owner, 'POST', '/api/v1/orders', order({ max_charge: '9.99' })],
    [owner, 'POST', '/api/v1/orders/preview', order({ max_charge: '9.99' })],
    [owner, 'POST', '/api/v1/orders/{order}/renew', { max_charge: '0.01' }],
    [
      operator,
      'POST',
      `${admin}/customers/{customer}/change-package`,
      { package_id: '{#plus}', max_charge: '0' },
    ],
  ],
  'order what is not for sale': [
    [owner, 'POST', '/api/v1/orders', order({ package_id: '{#retired}' })],
    [owner, 'POST', '/api/v1/orders', order({ package_id: '{#trial}' })],
    [owner, 'POST', '/api/v1/orders', order({ package_id: 999_999 })],
    [owner, 'POST', '/api/v1/orders', order({ months: 1, period: 'yearly' })],
    [owner, 'POST', '/api/v1/orders', order({ customer: 'a b' })],
    [owner, 'POST', '/api/v1/orders', order({ customer: 'a@b@c' })],
    [operator, 'POST', `${account}/trials`, { package_id: '{#basic}', customer: 'a' }],
    [operator, 'POST', `${admin}/customers/{customer}/change-package`, { package_id: '{#basic}' }],
    [operator, 'POST', `${admin}/customers/{customer}/change-package`, { package_id: '{#retired}' }],
  ],
  'order for a customer of another account': [
    ['other owner key', 'POST', '/api/v1/orders', order({ customer: '{fresh}@example.com' })],
    [owner, 'POST', '/api/v1/orders', order({ customer: '{fresh}@example.com' })],
    [owner, 'POST', '/api/v1/orders/preview', order({ customer: '{fresh}@example.com' })],
    [owner, 'POST', '/api/v1/orders/preview', { renew_customer: '{fresh}@example.com' }],
    [owner, 'POST', '/api/v1/orders/{other order}/renew', {}],
  ],
  'a bulk of many kinds': [
    [owner, 'POST', '/api/v1/orders', order()],
    [
      owner,
      'POST',
      '/api/v1/orders/bulk',
      {
        orders: [
          order({ idempotency_key: 'a', package_id: 999_999 }),
          order({ idempotency_key: 'b', customer: '' }),
          order({ idempotency_key: 'c', months: 2 }),
          order({ idempotency_key: 'd', max_charge: '0.01' }),
          { renew: 1, idempotency_key: 'e' },
          { renew_customer: 'stranger', idempotency_key: 'f' },
          order({ idempotency_key: 'a' }),
          order({ idempotency_key: 'g', surprise: 1 }),
          { idempotency_key: 'h' },
          order(),
          null,
          7,
        ],
      },
    ],
  ],
  'a trial twice': [
    [operator, 'POST', `${account}/trials`, { package_id: '{#trial}', customer: '{fresh}' }],
    [operator, 'POST', `${account}/trials`, { package_id: '{#trial}', customer: '{fresh}' }],
    [operator, 'POST', `${account}/trials`, { package_id: '{#trial}', customer: '{fresh}', again: true }],
    [operator, 'POST', `${account}/trials`, { package_id: '{#trial}', customer: '{buyer}' }],
  ],
  'an idempotency key for something else': [
    [owner, 'POST', '/api/v1/orders', order(), 'one'],
    [owner, 'POST', '/api/v1/orders', order(), 'one'],
    [owner, 'POST', '/api/v1/orders', order({ months: 3 }), 'one'],
    [owner, 'POST', '/api/v1/orders', order({ customer: 'another' }), 'one'],
    [owner, 'POST', '/api/v1/orders', order({ idempotency_key: 'two' }), 'one'],
    [owner, 'POST', '/api/v1/orders', order({ package_id: 999_999 }), 'one'],
    [owner, 'POST', '/api/v1/orders/{order}/renew', {}, 'one'],
    [owner, 'POST', `${customer}/cancel`, { at: 'now' }, 'one'],
    [owner, 'POST', `${customer}/suspend`, {}, 'one'],
    [owner, 'POST', '/api/v1/webhooks', { url: 'https://shop.example.com/' }, 'one'],
    [owner, 'POST', '/api/v1/orders/bulk', { orders: [order({ idempotency_key: 'one', months: 3 })] }],
    [owner, 'PATCH', customer, { name: 'Ada' }, 'name'],
    [owner, 'PATCH', customer, { name: 'Eve' }, 'name'],
    [operator, 'POST', `${account}/credit`, { amount: '1.00' }, 'money'],
    [operator, 'POST', `${account}/credit`, { amount: '2.00' }, 'money'],
    [operator, 'POST', `${account}/keys`, { name: 'One' }, 'key'],
    [operator, 'POST', `${account}/keys`, { name: 'Two' }, 'key'],
    [operator, 'POST', `${account}/people`, { username: '{fresh}', role: 'viewer' }, 'person'],
    [operator, 'POST', `${account}/people`, { username: '{fresh}', role: 'staff' }, 'person'],
    [session, 'POST', '/panel/api/keys', { name: 'One', password }, 'own key'],
    [session, 'POST', '/panel/api/keys', { name: 'Two', password }, 'own key'],
    [session, 'POST', people, { username: '{fresh}-a', role: 'viewer', password }, 'colleague'],
    [session, 'POST', people, { username: '{fresh}-b', role: 'viewer', password }, 'colleague'],
  ],
  'more endpoints than there may be': [
    ...Array.from(
      { length: 11 },
      (): Step => [owner, 'POST', '/api/v1/webhooks', { url: 'https://a.example/' }],
    ),
  ],
  'an endpoint that is gone': [
    [owner, 'DELETE', '/api/v1/webhooks/{webhook}'],
    [owner, 'DELETE', '/api/v1/webhooks/{webhook}'],
    [owner, 'PATCH', '/api/v1/webhooks/{webhook}', { enabled: true }],
    [owner, 'POST', '/api/v1/webhooks/{webhook}/test'],
    [owner, 'POST', '/api/v1/webhooks/{webhook}/redeliver', { from: 1 }],
  ],
  'an endpoint at a forbidden address': [
    [owner, 'POST', '/api/v1/webhooks', { url: 'http://shop.example.com/' }],
    [owner, 'POST', '/api/v1/webhooks', { url: 'https://user:word@shop.example.com/' }],
    [owner, 'POST', '/api/v1/webhooks', { url: 'https://a.example/', types: ['order.completed', 'nothing'] }],
  ],
  'a key that is gone, and the first': [
    [operator, 'DELETE', `${account}/keys/{key}`],
    [operator, 'DELETE', `${account}/keys/{key}`],
    [operator, 'PATCH', `${account}/keys/{key}`, { name: 'Till' }],
    [operator, 'POST', `${account}/keys/{key}/rotate`, {}],
    [operator, 'DELETE', `${account}/keys/{first key}`],
    [operator, 'PATCH', `${account}/keys/{first key}`, { scopes: ['balance:read'] }],
    [operator, 'PATCH', `${account}/keys/{first key}`, { expires_at: '2030-01-01T00:00:00Z' }],
    [operator, 'POST', `${account}/keys`, { name: 'Till', scopes: ['admin:read'] }],
    [operator, 'POST', `${account}/keys`, { name: 'Till', expires_at: '2020-01-01T00:00:00Z' }],
    [operator, 'POST', `${account}/keys`, { name: 'Till', test: true, scopes: ['admin:read'] }],
    [session, 'DELETE', '/panel/api/keys/{first key}', { password }],
    [session, 'PATCH', '/panel/api/keys/{first key}', { scopes: ['balance:read'], password }],
    [session, 'POST', '/panel/api/keys', { name: 'Till', password: 'wrong' }],
  ],
  'an account that is blocked': [
    [owner, 'GET', customer],
    [operator, 'PATCH', account, { blocked: true }],
    [owner, 'GET', '/api/v1/balance'],
    [owner, 'POST', '/api/v1/orders', order()],
    [operator, 'POST', `${account}/trials`, { package_id: '{#trial}', customer: '{fresh}' }],
    [operator, 'POST', `${account}/credit`, { amount: '1.00' }],
    [operator, 'POST', `${account}/api-key`],
    [operator, 'POST', `${admin}/customers/{customer}/cancel`, { at: 'now' }],
  ],
  'a name that is taken': [
    [operator, 'POST', `${admin}/accounts`, { username: '{username}', group: 'reseller' }],
    [operator, 'POST', `${account}/people`, { username: '{username}', role: 'viewer' }],
    [session, 'POST', people, { username: '{username}', role: 'viewer', password }],
    [operator, 'POST', `${admin}/accounts`, { username: '{fresh}', group: 'reseller', invite: true }],
    [
      operator,
      'POST',
      `${admin}/accounts`,
      { username: '{fresh}', group: 'reseller', password: 'password1234' },
    ],
    [
      operator,
      'POST',
      `${admin}/accounts`,
      { username: '{fresh}', group: 'distributor', allowed_ips: ['0.0.0.0/0'] },
    ],
  ],
  'the last owner': [
    [operator, 'PATCH', `${account}/people/{owner}`, { role: 'viewer' }],
    [operator, 'DELETE', `${account}/people/{owner}`],
    [session, 'DELETE', `${people}/{owner}`, { password }],
    [session, 'PATCH', `${people}/{owner}`, { role: 'staff', password }],
    [operator, 'PATCH', `${account}/people/{colleague}`, { role: 'finance' }],
    [operator, 'POST', `${account}/people/{colleague}/invitation`],
    [session, 'POST', `${people}/{colleague}/invitation`, { password }],
    [session, 'DELETE', `${people}/{colleague}`, { password }],
    [session, 'DELETE', `${people}/{colleague}`, { password }],
  ],
  'an order that is settled': [
    [operator, 'POST', `${admin}/orders/{pending}/accept`],
    [operator, 'POST', `${admin}/orders/{pending}/accept`],
    [operator, 'POST', `${admin}/orders/{pending}/fail`, { reason: 'no room' }],
    [operator, 'POST', `${admin}/orders/{order}/accept`],
    [operator, 'POST', `${admin}/orders/{order}/fail`, { reason: 'no room' }],
    [operator, 'POST', `${admin}/product-calls/{call}/done`],
    [operator, 'POST', `${admin}/product-calls/{call}/send`],
  ],
  'an order that is failed': [
    [operator, 'POST', `${admin}/product-calls/{call}/done`],
    [operator, 'POST', `${admin}/product-calls/{call}/send`],
    [operator, 'POST', `${admin}/product-calls/send`],
    [owner, 'POST', '/api/v1/orders', order({ customer: '{waiting}' })],
    [owner, 'POST', '/api/v1/orders/{pending}/renew', {}],
    [operator, 'POST', `${admin}/orders/{pending}/fail`, { reason: 'no room' }],
    [operator, 'POST', `${admin}/orders/{pending}/accept`],
    [owner, 'POST', '/api/v1/orders/{pending}/renew', {}],
  ],
  'prices that are scheduled': [
    [operator, 'POST', `${admin}/packages/{package}/prices`, prices('2027-01-01T00:00:00Z')],
    [operator, 'POST', `${admin}/packages/{package}/prices`, prices('2027-01-01T00:00:00Z', '8.00')],
    [operator, 'POST', `${admin}/packages/{package}/prices`, prices('2026-01-01T00:00:00Z')],
    [operator, 'POST', `${admin}/packages/{package}/prices`, { from: '2027-02-01T00:00:00Z', prices: {} }],
    [operator, 'DELETE', `${admin}/packages/{package}/prices?from=2027-01-01T00:00:00Z`],
    [operator, 'DELETE', `${admin}/packages/{package}/prices?from=2027-01-01T00:00:00Z`],
    [operator, 'DELETE', `${admin}/packages/{package}/prices?from=2026-01-01T00:00:00Z`],
    [operator, 'POST', `${admin}/packages/{trial}/prices`, prices('2027-01-01T00:00:00Z')],
    [operator, 'PATCH', `${admin}/packages/{package}`, { trial: true }],
  ],
  'a login code twice': [
    ['product key', 'POST', '/api/product/v1/login-codes/exchange', { code: '{code}' }],
    ['product key', 'POST', '/api/product/v1/login-codes/exchange', { code: '{code}' }],
    [operator, 'POST', `${admin}/login-codes/exchange`, { code: '{code}' }],
    ['nobody', 'POST', '/login/{login}'],
    ['nobody', 'GET', '/login/{login}'],
  ],
  'test mode': [
    [test, 'POST', '/api/v1/test/clock', {}],
    [test, 'POST', '/api/v1/test/clock', { advance: 'P1D', now: '2030-01-01T00:00:00Z' }],
    [test, 'POST', '/api/v1/test/clock', { now: '2020-01-01T00:00:00Z' }],
    [test, 'POST', '/api/v1/test/clock', { advance: 'P100Y' }],
    [test, 'POST', '/api/v1/test/credit', { amount: '0' }],
    [test, 'POST', '/api/v1/test/credit', { amount: '9999999.99' }],
    [test, 'POST', '/api/v1/orders', order({ customer: '{fresh}' })],
    [test, 'POST', '/api/v1/test/reset'],
    [test, 'GET', '/api/v1/orders/{order}'],
    [test, 'GET', '/api/v1/customers/{customer}'],
    [owner, 'POST', '/api/v1/test/reset'],
  ],
  'codes at sign-in': [
    [session, 'POST', '/panel/api/totp/confirm', { code: '000000' }],
    [session, 'POST', '/panel/api/totp/disable', { password, code: '000000' }],
    ['session with codes', 'POST', '/panel/api/totp', { password }],
    ['session with codes', 'POST', '/panel/api/totp/disable', { password, code: '000000' }],
    ['session with codes', 'POST', '/panel/api/totp/disable', { password: 'wrong', code: '000000' }],
    ['nobody in the panel', 'POST', '/panel/api/sign-in', { username: '{username}', password }],
    [
      'nobody in the panel',
      'POST',
      '/panel/api/sign-in',
      { username: '{username}', password, code: '000000' },
    ],
    ['nobody in the panel', 'POST', '/panel/api/sign-in', { username: '{username}', password: 'wrong' }],
    [
      'operator session',
      'POST',
      '/panel/api/admin/accounts/{account}/totp/disable',
      { current_password: password },
    ],
    [
      'operator session',
      'POST',
      '/panel/api/admin/accounts/{account}/totp/disable',
      { current_password: password },
    ],
  ],
  'a password': [
    [
      session,
      'POST',
      '/panel/api/password',
      { current_password: 'wrong', new_password: 'another horse battery' },
    ],
    [session, 'POST', '/panel/api/password', { current_password: password, new_password: password }],
    [session, 'POST', '/panel/api/password', { current_password: password, new_password: 'password1234' }],
    [session, 'POST', '/panel/api/password', { current_password: password, new_password: 'aaaaaaaaaaaaaa' }],
    ['nobody in the panel', 'POST', '/panel/api/password-reset/link', { token: 'none' }],
    ['nobody in the panel', 'POST', '/panel/api/password-reset/complete', chosen('none')],
    ['nobody in the panel', 'POST', '/panel/api/password-reset/complete', chosen('{token}')],
    ['nobody in the panel', 'POST', '/panel/api/password-reset/complete', chosen('{token}')],
    ['nobody in the panel', 'POST', '/panel/api/password-reset', { account: 'stranger' }],
    ['nobody in the panel', 'POST', '/panel/api/sign-in', { username: 'stranger', password }],
  ],
  'an allow-list': [
    [session, 'PUT', '/panel/api/allow-list', { allowed_ips: ['192.0.2.1'] }],
    [session, 'PUT', '/panel/api/allow-list', { allowed_ips: ['0.0.0.0/0', '1.2.3.4/0'] }],
    [session, 'PUT', '/panel/api/allow-list', { allowed_ips: ['192.0.2.1'], confirm: true }],
    [operator, 'PATCH', `${admin}/accounts/{administrator}`, { allowed_ips: ['192.0.2.1'] }],
  ],
  'an administrator about themselves': [
    [operator, 'PATCH', `${admin}/accounts/{administrator}`, { group: 'distributor' }],
    [operator, 'POST', `${admin}/accounts/{administrator}/credit`, { amount: '1.00' }],
    ['operator session', 'POST', '/panel/api/admin/accounts/{administrator}/view'],
    ['operator session', 'POST', '/panel/api/admin/accounts/999999/view'],
    ['operator viewing', 'POST', '/panel/api/v1/orders', order()],
    ['operator viewing', 'GET', '/panel/api/admin/overview'],
  ],
  'the brand and the product': [
    [operator, 'PUT', `${admin}/brand/logo`, { data: 'AAAA' }],
    [operator, 'PUT', `${admin}/product`, { mode: 'notify', url: 'https://product.example.com/' }],
    [operator, 'PUT', `${admin}/product`, { mode: 'notify', url: 'http://product.example.com/' }],
    [operator, 'POST', `${admin}/product-calls/send`],
  ],
};

function prices(from: string, monthly = '9.00'): object {
  return { from, prices: { reseller: { monthly } } };
}

function chosen(token: string): object {
  return { token, new_password: 'another horse battery staple' };
}

export function conflictLines(): readonly StepLine[] {
  return Object.entries(conflicts).map(([name, steps]) => ({
    name: `conflict: ${name}`,
    steps: steps.map(
      ([as, method, path, body, key]): Template => ({
        method,
        path,
        as,
        ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
        ...(body === undefined ? {} : { body }),
      }),
    ),
  }));
}

const methods = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'POST', 'GET', 'PROPFIND'];

const hidden: Readonly<Record<string, readonly string[]>> = {
  '/': [],
  '/healthz': [],
  '/readyz': [],
  '/metrics': [],
  '/nowhere': [],
  '/api': [],
  '/api/v1': ['as nobody', 'as owner key'],
  '/api/v1/nowhere': [
    'as owner key',
    'as unknown key',
    'as revoked key',
    'as blocked key',
    'as account test key',
  ],
  '/api/v1/openapi.json': ['as unknown key', 'header if-none-match=*'],
  '/api/v2/balance': ['as owner key'],
  '/api/admin/v1/nowhere': ['as owner key', 'as operator key', 'as unknown key'],
  '/api/product/v1/nowhere': ['as owner key', 'as product key', 'as unknown key'],
  '/panel/api/nowhere': [
    'as owner session',
    'as made-up session',
    'as first session',
    'as nobody in the panel',
  ],
  '/panel/api/v1/nowhere': ['as owner session', 'as made-up session', 'as owner key'],
  '/panel/api/admin/nowhere': ['as owner session', 'as operator session'],
  '/panel/api/admin/v1/nowhere': ['as owner session', 'as operator session'],
  '/panel/api/openapi.json': ['as unknown key'],
  '/panel': [],
  '/panel/': [],
  '/panel/orders': [],
  '/panel/assets/nothing.js': [],
  '/docs': [],
  '/docs/': [],
  '/docs/nothing.html': [],
  '/brand/logo': [],
  '/brand/icon.svg': [],
  '/brand/nothing': [],
  '/customer.css': [],
  '/customer': ['as customer', 'header cookie=sellthrough_customer=x', 'header accept-language=de'],
  '/customer/logout': ['as customer', 'method POST && header sec-fetch-site=cross-site'],
  '/login/nothing': ['header accept-language=de', 'path nothing=%00', 'path nothing=«a*300»'],
  '/login/{login}': [
    'method POST && header sec-fetch-site=cross-site',
    'method POST && text [',
    'method POST',
  ],
  '/panel/unsubscribe/nothing': ['method POST && text a=b', 'path nothing=%00'],
  '/panel/unsubscribe/nothing/undo': ['method POST && text a=b'],
  '/panel/confirm-address/nothing': ['method POST && text a=b', 'path nothing=%00'],
};

export function hiddenLines(): readonly CaseLine[] {
  return Object.entries(hidden).map(([path, cases]) => ({
    name: `page ${path}`,
    request: { method: 'GET', path, as: 'nobody' },
    cases: [
      'plain',
      ...cases,
      ...methods.map((method) => `method ${method}`),
      'method POST && text «x*400000»',
    ],
  }));
}
