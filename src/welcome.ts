// What a start says to the person in front of the terminal: where it listens, what was generated just
// now, and a line to paste that places an order. Each part as soon as it is true: a start that fails
// halfway has shown what it made.

import type { DemoReseller, FirstAdministrator } from './bootstrap.ts';
import type { DatabaseConfig } from './config.ts';

export function addressText(address: string, database: DatabaseConfig): string {
  const where = database.kind === 'embedded' ? `embedded, in ${database.dataDir}` : 'PostgreSQL';
  return `
Sellthrough listens at ${address}
  database       ${where}
  panel          ${address}/panel/
  documents      ${address}/docs/
`;
}

export function administratorText({ username, password, apiKey }: FirstAdministrator): string {
  return `
The first administrator was created. Whatever was generated is shown only now:
  username       ${username}
  password       ${password ?? 'as given in ADMIN_PASSWORD'}
  API key        ${apiKey ?? 'as given in ADMIN_API_KEY'}
`;
}

export function demoText(address: string, { apiKey, password, credit }: DemoReseller): string {
  const body = JSON.stringify({ package_id: 1, customer: 'ada@example.com' });
  return `
The demo reseller began with a credit of ${credit}:
  API key        ${apiKey}
${password === null ? '' : `  panel          username demo, password ${password} (shown only now)\n`}
Place an order. Paste this twice: the second answer is a replay, and nothing is charged again.

  curl -i ${address}/api/v1/orders -H 'Authorization: Bearer ${apiKey}' -H 'Idempotency-Key: first-order' -d '${body}'

`;
}
