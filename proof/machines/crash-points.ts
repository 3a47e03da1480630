// Loaded before the service (node --import): kills its process with SIGKILL when an order reaches a point (CRASH_POINT) for
// the n-th time (CRASH_AT, counted from SIGUSR2). It watches the driver and the response.

import { ServerResponse } from 'node:http';
import pg from 'pg';
import { StatementPipeline } from '../../src/platform/database/postgres/statement-pipeline.ts';

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
  // Clients whose current transaction writes orders. Only the COMMIT of such a transaction is a crash point.
  const writesOrders = new WeakSet<object>();

  const watched = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const [config] = parameters;
    const names = namesOf(config);
    if (names.includes('lock_accounts')) reached('before-lock');
    if (names.includes('insert_orders')) {
      reached('before-write');
      writesOrders.add(this);
    }
    const isCommit = names.includes('commit') && writesOrders.delete(this);
    if (isCommit) reached('before-commit');
    // The driver calls this when the server has answered the whole group.
    if (config instanceof StatementPipeline && names.includes('lock_accounts'))
      config.handleReadyForQuery = () => void Promise.resolve().then(() => reached('after-load'));
    const result = query.apply(this, parameters);
    if (isCommit) setImmediate(() => reached('in-commit'));
    if (isCommit && result instanceof Promise)
      result.then(() => reached('after-commit')).catch(() => undefined);
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

/** The names of the statements, without the account group's suffix. For an unnamed statement, its text. */
function namesOf(config: unknown): readonly string[] {
  if (typeof config === 'string') return [config];
  if (config instanceof StatementPipeline) return config.names.map(withoutGroup);
  return typeof config === 'object' && config !== null && 'name' in config
    ? [withoutGroup(String(config.name))]
    : [];
}

function withoutGroup(name: string): string {
  return name.replace(/~\d*$/, '');
}
