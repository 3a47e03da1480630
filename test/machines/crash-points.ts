// Loaded before the service (node --import): kills its process with SIGKILL at a named point of the road
// of an order, at the n-th time it comes there. It acts from outside: the product knows nothing of it. The points
// are seen at the driver, which both databases share, and at the response.
// CRASH_POINT: one of crashPoints; CRASH_AT: which time, counted from the moment SIGUSR2 arms it.

import { ServerResponse } from 'node:http';
import pg from 'pg';

export const crashPoints = [
  'before-lock',
  'after-load',
  'before-write',
  'before-commit',
  'in-commit',
  'after-commit',
  'before-answer',
] as const;
export type CrashPoint = (typeof crashPoints)[number];

const point = process.env['CRASH_POINT'];
let remaining = Number(process.env['CRASH_AT'] ?? '1');
let armed = false;

function reached(name: CrashPoint): void {
  if (!armed || name !== point) return;
  remaining -= 1;
  if (remaining <= 0) process.kill(process.pid, 'SIGKILL');
}

if (point !== undefined) {
  process.on('SIGUSR2', () => {
    armed = true;
  });
  const { prototype } = pg.Client;
  const query: (...parameters: unknown[]) => unknown = prototype.query;
  // Whether the transaction under way on this client writes orders: only its COMMIT counts.
  const writesOrders = new WeakSet<object>();

  const watched = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const [config] = parameters;
    const name = nameOf(config);
    if (name === 'lock_accounts') reached('before-lock');
    if (name === 'insert_orders') {
      reached('before-write');
      writesOrders.add(this);
    }
    const isCommit = name === 'commit' && writesOrders.delete(this);
    if (isCommit) reached('before-commit');
    const result = query.apply(this, parameters);
    if (isCommit) setImmediate(() => reached('in-commit'));
    if (result instanceof Promise) {
      if (name === 'load_packages_version') result.then(() => reached('after-load')).catch(() => undefined);
      if (isCommit) result.then(() => reached('after-commit')).catch(() => undefined);
    }
    return result;
  };
  Object.assign(prototype, { query: watched });

  const { end } = ServerResponse.prototype;
  const watchedEnd = function (this: ServerResponse, ...parameters: unknown[]): unknown {
    if (this.statusCode === 201) reached('before-answer');
    return Reflect.apply(end, this, parameters);
  };
  Object.assign(ServerResponse.prototype, { end: watchedEnd });
}

function nameOf(config: unknown): string {
  if (typeof config === 'string') return config;
  return typeof config === 'object' && config !== null && 'name' in config ? String(config.name) : '';
}
