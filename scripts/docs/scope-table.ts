// Writes the table of requests, scopes and roles into docs/scopes.md, between two marks, from the route declarations.

import type { DeclaredRoute } from '../../src/platform/http/route-declarations.ts';
import { rolesOf, type Scope, scopesOfRole } from '../../src/shared/scopes.ts';

const marks = /(<!-- scopes: begin -->\n)[\s\S]*?(<!-- scopes: end -->)/;

export function withScopes(page: string, routes: readonly DeclaredRoute[]): string {
  if (!marks.test(page)) throw new Error('docs/scopes.md has no marks for the scopes.');
  return page.replace(marks, (_whole, begin: string, end: string) => `${begin}\n${table(routes)}\n\n${end}`);
}

function table(routes: readonly DeclaredRoute[]): string {
  const ofKeys = routes.filter(({ guard }) => guard === 'key');
  const byScope = Map.groupBy(ofKeys, ({ scopes }) => scopes.map((scope) => `\`${scope}\``).join(', '));
  return [
    '| Scope | Roles of an account | Roles of the operator | Requests |',
    '|---|---|---|---|',
    ...[...byScope].map(([scopes, needing]) => {
      const roles = [false, true].map((isAdmin) => rolesWith({ isAdmin }, needing[0]?.scopes ?? []));
      return `| ${scopes} | ${roles.join(' | ')} | ${needing.map(requestOf).join('<br>')} |`;
    }),
  ].join('\n');
}

function rolesWith(account: { readonly isAdmin: boolean }, scopes: readonly Scope[]): string {
  const having = rolesOf(account).filter((role) => {
    const had = scopesOfRole(account, role);
    return scopes.every((scope) => had.has(scope));
  });
  if (having.length === rolesOf(account).length) return 'all';
  return having.length === 0 ? 'none' : having.join(', ');
}

function requestOf({ method, path }: DeclaredRoute): string {
  return `\`${method} ${path}\``;
}
