// Opens the links with which addresses confirm alert mail. Returns the mails that have no such link.

import assert from 'node:assert/strict';
import type { TestService } from '../../scripts/throwaway/test-service.ts';
import type { ReceivedMail } from './mail-server.ts';

const link = /https?:\/\/\S+?(\/panel\/confirm-address\/[\w.-]+)/;

export const confirmPathIn = ({ parsed }: ReceivedMail): string | null =>
  link.exec(parsed.text ?? '')?.[1] ?? null;

export async function confirmAddresses(
  { address }: Pick<TestService, 'address'>,
  mails: readonly ReceivedMail[],
): Promise<readonly ReceivedMail[]> {
  const others: ReceivedMail[] = [];
  for (const mail of mails) {
    const path = confirmPathIn(mail);
    if (path === null) others.push(mail);
    else assert.equal((await fetch(address + path, { method: 'POST' })).status, 200, mail.to);
  }
  return others;
}
