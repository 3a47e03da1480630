// What a start prints on a terminal. Each part is printed as soon as it is true, in case the start fails later.

import type { DatabaseConfig } from './config.ts';
import type { DemoReseller } from './demo-reseller.ts';
import { readKeyCommand } from './demo-reseller-file.ts';
import type { FirstAdministrator } from './first-administrator-file.ts';

/** `publicUrl`: as configured. `isOpen`: other machines can reach the service, but links to `address` do not work there. */
export function addressText(
  address: string,
  database: DatabaseConfig,
  {
    publicUrl,
    isOpen,
    logsRequests,
  }: { readonly publicUrl: string | null; readonly isOpen: boolean; readonly logsRequests: boolean },
): string {
  const shown = publicUrl ?? address;
  const hint =
    publicUrl === null && isOpen
      ? `Login links and mails lead to ${address}: set PUBLIC_URL to the address that others use.\n`
      : '';
  const where = database.kind === 'embedded' ? `embedded, in ${database.dataDir}` : 'PostgreSQL';
  return `
Sellthrough listens at ${address}
  database       ${where}
  panel          ${shown}/panel/
  documents      ${shown}/docs/
${logsRequests ? '' : '  request log    off; LOG_REQUESTS=1 turns it on\n'}${hint}`;
}

/** `file`: where the secrets are; null: print them. */
export function administratorText(
  { username, password, apiKey }: FirstAdministrator,
  file: string | null,
): string {
  const shown = (secret: string | null, variable: string) =>
    secret === null ? `as given in ${variable}` : (file ?? secret);
  const where =
    file === null || (password ?? apiKey) === null
      ? 'What was generated is shown only this once:'
      : 'What was generated is in a file that only this user may read. Copy it, then delete the file.';
  return `
The first administrator was created. ${where}
  username       ${username}
  password       ${shown(password, 'ADMIN_PASSWORD')}
  API key        ${shown(apiKey, 'ADMIN_API_KEY')}
Signing in to the panel asks for a new password.
`;
}

export function demoText(
  address: string,
  { apiKey, password, credit }: DemoReseller,
  file: string | null,
  { takesPayments, isOpen }: { readonly takesPayments: boolean; readonly isOpen: boolean },
): string {
  const body = JSON.stringify({ package_id: 1, customer: 'ada@example.com' });
  const where = file === null ? '' : '. Its secrets are in a file that only this user may read';
  const shown =
    file === null
      ? `${password} (shown only now; the panel asks for a new one)`
      : 'in the file; the panel asks for a new one';
  // The shell reads the key from the file, so that it appears in no log.
  const authorization =
    file === null
      ? `'Authorization: Bearer ${apiKey}'`
      : `"Authorization: Bearer $(${readKeyCommand(file)})"`;
  return `
The demo reseller has a credit of ${credit}${where}:
  API key        ${file ?? apiKey}
${password === null ? '' : `  panel          username demo, password ${shown}\n`}${isOpen ? `  look around    ${address}/panel/ as operator, reseller or customer, without a password\n` : ''}
Place an order. Paste this twice: the second answer is a replay, and nothing is charged again.

  curl -i ${address}/api/v1/orders -H ${authorization} -H 'Idempotency-Key: first-order' -d '${body}'

${takesPayments ? 'Add funds in the panel, on a page that stands in for Stripe. No money moves.\n\n' : ''}`;
}
