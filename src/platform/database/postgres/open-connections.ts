// Tracks the pools' open connections to a PostgreSQL server.

import type { Socket } from 'node:net';
import type pg from 'pg';
import { joinWrites, ReportingClient, socketOf } from './postgres-client.ts';

export interface OpenConnections {
  add(client: pg.PoolClient): void;
  remove(client: pg.PoolClient): void;
  begin(client: pg.PoolClient, isLong: boolean): void;
  end(client: pg.PoolClient): void;
  cut(client: pg.PoolClient, reason: string): void;
  cutAll(): void;
  dropSilentIdle(since: number): void;
  /** Drops connections that have been silent since `since`, even busy ones. Skips long transactions, which are watched. */
  dropSilent(since: number): void;
  /** Drops connections to a former primary, busy ones too: it may be frozen, or accept writes that the new one never gets. */
  leaveFormer(timeline: number): void;
}

export function createOpenConnections(): OpenConnections {
  const sockets = new Map<pg.PoolClient, Socket>();
  const heardAt = new WeakMap<Socket, number>();
  const busy = new Map<pg.PoolClient, { readonly isLong: boolean }>();

  function drop(since: number, which: (client: pg.PoolClient) => boolean): void {
    for (const [client, socket] of sockets) {
      if (which(client) && (heardAt.get(socket) ?? 0) < since)
        socket.destroy(new Error('The database has fallen silent.'));
    }
  }

  return {
    add(client) {
      const socket = socketOf(client);
      sockets.set(client, socket);
      joinWrites(socket);
      heardAt.set(socket, performance.now());
      socket.on('data', () => heardAt.set(socket, performance.now()));
    },
    remove: (client) => sockets.delete(client),
    begin: (client, isLong) => busy.set(client, { isLong }),
    end: (client) => busy.delete(client),
    cut: (client, reason) => sockets.get(client)?.destroy(new Error(reason)),
    cutAll() {
      for (const socket of sockets.values()) socket.destroy();
    },
    dropSilentIdle: (since) => drop(since, (client) => !busy.has(client)),
    dropSilent: (since) => drop(since, (client) => busy.get(client)?.isLong !== true),
    leaveFormer(timeline) {
      for (const [client, socket] of sockets) {
        if (client instanceof ReportingClient && client.timeline !== null && client.timeline < timeline)
          socket.destroy(new Error('Another server has become the primary.'));
      }
    },
  };
}
