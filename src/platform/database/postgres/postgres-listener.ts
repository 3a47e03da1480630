// The one connection of a process that listens for changes. Called by postgres.ts.
// Always true: a connection that breaks or falls silent is noticed within two seconds and replaced until it is closed, and
// its listener hears of both: what was said meanwhile is lost.

import pg from 'pg';
import type { ChangeListener } from '../database.ts';
import {
  clientConfig,
  type PostgresOptions,
  type ReportingClient,
  socketOf,
  unavailable,
} from './postgres-client.ts';

const listenRetryMilliseconds = 250;
const listenCheckMilliseconds = 500;

export interface SilenceListener extends ChangeListener {
  /** The listening connection had been silent since then, and a new one answers. */
  onHeardAgain(silentSince: number): void;
}

/** Listens on a connection of its own, makes a new one whenever it breaks, and says so. */
export function listenForever(
  options: PostgresOptions,
  Client: typeof ReportingClient,
  channel: string,
  listener: SilenceListener,
) {
  let stopped = false;
  let current: ReportingClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let wake: (() => void) | undefined;
  let heard: () => void = () => undefined;
  let failed: (error: unknown) => void = () => undefined;
  const first = new Promise<void>((resolve, reject) => {
    heard = resolve;
    failed = reject;
  });

  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      timer = setTimeout(resolve, milliseconds);
    });

  const done = (async () => {
    let silentSince: number | null = null;
    for (let attempt = 1; !stopped; attempt += 1) {
      const wasSilent = silentSince !== null;
      // Half-open sockets never say goodbye: a small statement every few seconds finds them.
      const client = new Client({
        ...clientConfig(options),
        query_timeout: options.listenAnswerMilliseconds,
      });
      current = client;
      const broken = new Promise<void>((resolve) => client.on('end', resolve).on('error', () => resolve()));
      let lost = false;
      broken.then(() => {
        lost = true;
        wake?.();
      });
      try {
        await client.connect();
        client.on('notification', ({ payload = '' }) => listener.onMessage(payload));
        // DATABASE_URL may call sessions otherwise. This one says who is here, whatever the others are called.
        const { applicationName } = options;
        const naming =
          applicationName === undefined
            ? ''
            : `set application_name = ${pg.escapeLiteral(applicationName)}; `;
        await client.query(`${naming}listen ${channel}`);
        if (silentSince !== null) listener.onHeardAgain(silentSince);
        silentSince = null;
        listener.onRestored();
        heard();
        while (!stopped && !lost) {
          await pause(listenCheckMilliseconds);
          if (stopped || lost) break;
          const asked = performance.now();
          await client.query('select 1').catch((error: unknown) => {
            if (!lost) silentSince = asked;
            throw error;
          });
        }
      } catch (error) {
        if (attempt === 1) failed(unavailable(error));
      }
      clearTimeout(timer);
      if (!stopped) listener.onLost();
      await client.end().catch(() => undefined);
      // Who fell silent just now is replaced at once. An address that refuses would be asked thousands of times a second.
      const isNewlySilent = silentSince !== null && !wasSilent;
      if (!stopped && !isNewlySilent) await pause(listenRetryMilliseconds);
    }
  })();

  return {
    first,
    /** Its server is a former primary, where nothing new is said. */
    leaveFormer(timeline: number): void {
      if (current !== undefined && current.timeline !== null && current.timeline < timeline)
        socketOf(current).destroy();
    },
    async close() {
      stopped = true;
      clearTimeout(timer);
      wake?.();
      const cutOff = setTimeout(() => current && socketOf(current).destroy(), options.closeMilliseconds);
      await current?.end().catch(() => undefined);
      await done;
      clearTimeout(cutOff);
    },
  };
}
