// What a caller may be allowed: each route names the scopes it needs, each principal has some of them. A key has
// those of its account, or the fewer that it was made with; those of people are never a key's, so whoever steals a
// reseller's key cannot mint another.

/** Of keys and people of every account. */
export const accountScopes = [
  'balance:read',
  'packages:read',
  'orders:read',
  'orders:write',
  'customers:read',
  'customers:write',
  'ledger:read',
  'events:read',
  'webhooks:write',
] as const;

/** Of keys and people of administrators, beside those of every account. */
export const administratorScopes = [
  'admin:read',
  'admin:accounts',
  'admin:credit',
  'admin:packages',
  'product',
] as const;

/** Of people alone. */
export const personScopes = ['keys:read', 'keys:write'] as const;

/** Of keys: those of every account, then those of administrators. */
export const keyScopes = [...accountScopes, ...administratorScopes] as const;

export type KeyScope = (typeof keyScopes)[number];

export type Scope = KeyScope | (typeof personScopes)[number];

export function isKeyScope(word: string): word is KeyScope {
  return keyScopes.some((each) => each === word);
}

export function isAdministratorScope(scope: Scope): boolean {
  return administratorScopes.some((each) => each === scope);
}
