// The one listening connection of a process.
// Invariant: a broken or silent connection is noticed within two seconds, and replaced until closed. The listener is
// notified of the loss and of the recovery, because messages in between are lost.

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
  onHeardAgain(silentSince: number): void;
}

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
  let woken: () => void = () => undefined;
  let failed: (error: unknown) => void = () => undefined;
  const first = new Promise<void>((resolve, reject) => {
    woken = resolve;
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
      // With this timeout, the regular `select 1` below detects half-open sockets.
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
        // DATABASE_URL may set another application_name, but this connection must have the service's own.
        const { applicationName } = options;
        const naming =
          applicationName === undefined
            ? ''
            : `set application_name = ${pg.escapeLiteral(applicationName)}; `;
        await client.query(`${naming}listen ${channel}`);
        if (silentSince !== null) listener.onHeardAgain(silentSince);
        silentSince = null;
        listener.onRestored();
        woken();
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
      // Reconnect at once when the connection has just fallen silent. Otherwise pause: an address that refuses connections
      // would get thousands of attempts a second.
      const isNewlySilent = silentSince !== null && !wasSilent;
      if (!stopped && !isNewlySilent) await pause(listenRetryMilliseconds);
    }
  })();

  return {
    first,
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
