// doctor's mail check: connects and signs in like the service, but sends nothing.

import { trySmtpServer } from '../../platform/mail/smtp-sender.ts';
import { type Config, defaultLimits } from '../config.ts';
import type { Check } from './doctor-check.ts';

const name = 'mail';
const silenceMilliseconds = 5_000;

export async function checkMail({ mail, publicUrl }: Pick<Config, 'mail' | 'publicUrl'>): Promise<Check> {
  if (mail === null) return { name, state: 'ok', says: 'no SMTP_URL: no mail is sent' };
  const { server, from } = mail;
  try {
    await trySmtpServer(server, { ...defaultLimits.mail, silenceMilliseconds });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      name,
      state: 'fail',
      says: `${server.host} cannot be used: ${reason}: check SMTP_URL`,
    };
  }
  if (publicUrl === null) {
    return { name, state: 'warn', says: 'links in mail lead to this machine: set PUBLIC_URL' };
  }
  return { name, state: 'ok', says: `${server.host} accepts mail from ${from.address}` };
}
