// The signed token of an unsubscribe link. It works without a session as long as SECRET_KEY is known.

import { plainMailAddress } from '../../shared/mail-addresses.ts';
import type { Seal } from '../secrets/seal.ts';

export const unsubscribePath = '/panel/unsubscribe/';

export interface MailSubscriber {
  readonly accountId: number;
  readonly address: string;
}

/** URL-safe: letters, digits, dots, "-" and "_". */
export function unsubscribeToken(seal: Seal, { accountId, address }: MailSubscriber): string {
  const plain = plainMailAddress(address);
  const written = Buffer.from(plain).toString('base64url');
  return `${accountId}.${written}.${seal.sign(signedText(accountId, plain))}`;
}

export function readUnsubscribeToken(seal: Seal, token: string): MailSubscriber | null {
  const [, id, written = '', signature = ''] =
    /^([1-9]\d{0,6})\.([\w-]{1,400})\.([\w-]{22})$/.exec(token) ?? [];
  if (id === undefined) return null;
  const [accountId, address] = [Number(id), Buffer.from(written, 'base64url').toString()];
  return seal.isSigned(signedText(accountId, address), signature) ? { accountId, address } : null;
}

function signedText(accountId: number, address: string): string {
  return `mail to ${address} of account ${accountId}`;
}
