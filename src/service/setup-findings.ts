// What doctor would report about this process, for "Open your channel".

import { setTimeout as pause } from 'node:timers/promises';
import type { SetupFinding } from '../features/overview/setup-routes.ts';
import { checkPublicUrl } from '../setup/checks/doctor-addresses.ts';
import type { Check } from '../setup/checks/doctor-check.ts';
import { checkDisk, checkFolder } from '../setup/checks/doctor-data-folder.ts';
import { checkMail } from '../setup/checks/doctor-mail.ts';
import type { Config } from '../setup/config.ts';

/** A page does not wait longer for a mail server. A later answer is shown the next time. */
const patienceMilliseconds = 2_000;
const mailCheckMilliseconds = 60_000;

export function createSetupFindings(
  config: Config,
  monotonicNow: () => number,
): () => Promise<readonly SetupFinding[]> {
  let asked: { readonly at: number; readonly answer: Promise<Check> } | null = null;

  function mailCheck(): Promise<Check> {
    if (asked === null || monotonicNow() - asked.at > mailCheckMilliseconds)
      asked = { at: monotonicNow(), answer: checkMail(config) };
    return asked.answer;
  }

  return async () => {
    const { database } = config;
    const ofFolder =
      database.kind === 'embedded' ? [checkFolder(database.dataDir), checkDisk(database.dataDir)] : [];
    const waited = new AbortController();
    const mail = await Promise.race([
      mailCheck(),
      pause(patienceMilliseconds, null, { signal: waited.signal }).catch(() => null),
    ]);
    waited.abort();
    return [checkPublicUrl(config), ...(mail === null ? [] : [mail]), ...ofFolder].flatMap(
      ({ name, state, says }) => (state === 'ok' ? [] : [{ name, state, says }]),
    );
  };
}
