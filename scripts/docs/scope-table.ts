// Which request needs which scope: the table of docs/security.md, between its two marks, made from what the routes declare.

import type { DeclaredRoute } from '../../src/http/declared-routes.ts';

const marks = /(<!-- scopes: begin -->\n)[\s\S]*?(<!-- scopes: end -->)/;

/** The security page with its table made afresh. */
export function withScopes(page: string, routes: readonly DeclaredRoute[]): string {
  if (!marks.test(page)) throw new Error('docs/security.md has no marks for the scopes.');
  return page.replace(marks, (_whole, begin: string, end: string) => `${begin}\n${table(routes)}\n\n${end}`);
}

function table(routes: readonly DeclaredRoute[]): string {
  const ofKeys = routes.filter(({ door }) => door === 'key');
  const byScope = Map.groupBy(ofKeys, ({ scopes }) => scopes.map((scope) => `\`${scope}\``).join(', '));
  return [
    '| Scope | Requests |',
    '|---|---|',
    ...[...byScope].map(([scopes, needing]) => `| ${scopes} | ${needing.map(requestOf).join('<br>')} |`),
  ].join('\n');
}

function requestOf({ method, path }: DeclaredRoute): string {
  return `\`${method} ${path}\``;
}
