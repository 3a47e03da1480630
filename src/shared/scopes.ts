// Scopes: each route requires some, and each caller has some. A key has the scopes of its account, or fewer. Scopes for
// people are never given to keys, so a stolen reseller key cannot create keys. A person has the scopes of their role.

/** Scopes that keys and people of every account may have. */
export const accountScopes = [
  'balance:read',
  'packages:read',
  'orders:read',
  'orders:write',
  'customers:read',
  'customers:write',
  'ledger:read',
  'topups:read',
  'topups:write',
  'events:read',
  'webhooks:write',
] as const;

export const administratorScopes = [
  'admin:read',
  'admin:accounts',
  'admin:credit',
  'admin:packages',
  'product',
] as const;

const personScopes = ['keys:read', 'keys:write', 'people:read', 'people:write'] as const;

/** The scopes of every account first, then those of administrators. */
export const keyScopes = [...accountScopes, ...administratorScopes] as const;

export type KeyScope = (typeof keyScopes)[number];

export function isKeyScope(word: string): word is KeyScope {
  return keyScopes.some((each) => each === word);
}

export const scopes = [...keyScopes, ...personScopes] as const;
export type Scope = (typeof scopes)[number];

export function isAdministratorScope(scope: Scope): boolean {
  return administratorScopes.some((each) => each === scope);
}

/** Most powerful first. */
export const accountRoles = ['owner', 'staff', 'viewer'] as const;
export const operatorRoles = ['owner', 'finance', 'support', 'viewer'] as const;
export const roles = ['owner', 'staff', 'finance', 'support', 'viewer'] as const;
export type Role = (typeof roles)[number];

export function rolesOf({ isAdmin }: { readonly isAdmin: boolean }): readonly Role[] {
  return isAdmin ? operatorRoles : accountRoles;
}

const reads: readonly Scope[] = accountScopes.filter((scope) => scope.endsWith(':read'));

/** For an administrator who views a reseller's panel: what its owner may read, and no changes. */
export const viewScopes: ReadonlySet<Scope> = new Set([...reads, 'keys:read', 'people:read']);

const scopesByRole: Readonly<Record<'account' | 'operator', Partial<Record<Role, ReadonlySet<Scope>>>>> = {
  account: {
    owner: new Set([...accountScopes, ...personScopes]),
    staff: new Set([...reads, 'orders:write', 'customers:write', 'topups:write']),
    viewer: new Set(reads),
  } satisfies Record<(typeof accountRoles)[number], ReadonlySet<Scope>>,
  operator: {
    owner: new Set([...accountScopes, ...personScopes, ...administratorScopes]),
    finance: new Set([...reads, 'admin:read', 'admin:credit']),
    support: new Set([...reads, 'admin:read', 'admin:accounts']),
    viewer: new Set([...reads, 'admin:read']),
  } satisfies Record<(typeof operatorRoles)[number], ReadonlySet<Scope>>,
};

const none: ReadonlySet<Scope> = new Set();

/** A role that this kind of account does not have allows nothing. */
export function scopesOfRole(account: { readonly isAdmin: boolean }, role: Role): ReadonlySet<Scope> {
  return scopesByRole[account.isAdmin ? 'operator' : 'account'][role] ?? none;
}

export type NamedRole =
  | `account:${(typeof accountRoles)[number]}`
  | `operator:${(typeof operatorRoles)[number]}`;

export const namedRoles: readonly NamedRole[] = [
  ...accountRoles.map((role) => `account:${role}` as const),
  ...operatorRoles.map((role) => `operator:${role}` as const),
];

export function isRoleNamed(
  names: ReadonlySet<NamedRole>,
  { isAdmin }: { readonly isAdmin: boolean },
  role: Role,
): boolean {
  const name = `${isAdmin ? 'operator' : 'account'}:${role}`;
  return [...names].some((each) => each === name);
}
