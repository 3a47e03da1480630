// What a start says to the person in front of the terminal: where it listens, what was generated just
// now, and a line to paste that places an order.

import type { FirstAdministrator } from './bootstrap.ts';
import type { DatabaseConfig } from './config.ts';

export interface Welcome {
  readonly address: string;
  readonly database: DatabaseConfig;
  readonly administrator: FirstAdministrator | null;
  readonly demo: { readonly apiKey: string; readonly credit: string } | null;
}

export function welcomeText({ address, database, administrator, demo }: Welcome): string {
  const where = database.kind === 'embedded' ? `embedded, in ${database.dataDir}` : 'PostgreSQL';
  const lines = ['', `Sellthrough listens at ${address}`, `  database       ${where}`];
  if (administrator !== null) {
    lines.push('', 'The first administrator was created. What was generated is shown only now:');
    lines.push(`  username       ${administrator.username}`);
    lines.push(`  password       ${administrator.password ?? 'as given in ADMIN_PASSWORD'}`);
    lines.push(`  API key        ${administrator.apiKey ?? 'as given in ADMIN_API_KEY'}`);
  }
  if (demo !== null) {
    lines.push('', `The demo reseller began with a credit of ${demo.credit}:`);
    lines.push(`  API key        ${demo.apiKey}`);
    lines.push(
      '',
      'Place an order. Paste it twice: the second answer is a replay, and nothing is charged again.',
    );
    lines.push('', `  ${orderCommand(address, demo.apiKey)}`);
  }
  return `${lines.join('\n')}\n\n`;
}

function orderCommand(address: string, apiKey: string): string {
  const body = JSON.stringify({ package_id: 1, customer: 'ada@example.com' });
  return `curl -i ${address}/api/v1/orders -H 'Authorization: Bearer ${apiKey}' -H 'Idempotency-Key: first-order' -d '${body}'`;
}
