import { t } from '@lingui/core/macro';
import type { administratorScopes } from '../../../../src/shared/scopes.ts';
import type { Words } from '../../text/words.ts';

export const scopeWords: Words = {
  'balance:read': t`Read the balance`,
  'packages:read': t`Read packages and prices`,
  'orders:read': t`Read orders`,
  'orders:write': t`Order, renew and cancel plans`,
  'customers:read': t`Read customers`,
  'customers:write': t`Change and suspend customers`,
  'ledger:read': t`Read ledger and statements`,
  'topups:read': t`Read top-ups`,
  'topups:write': t`Add funds`,
  'events:read': t`Follow events`,
  'webhooks:write': t`Set up endpoints and alerts`,
};
export const administratorScopeWords: Words = {
  'admin:read': t`Read all accounts`,
  'admin:accounts': t`Manage accounts and customers`,
  'admin:credit': t`Credit accounts`,
  'admin:packages': t`Manage packages and prices`,
  product: t`Act as the product: entitlements, login codes`,
} satisfies Record<(typeof administratorScopes)[number], string>;

export function scopeWord(scope: string): string {
  return scopeWords[scope] ?? administratorScopeWords[scope] ?? scope;
}
