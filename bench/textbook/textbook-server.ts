// node bench/textbook/textbook-server.ts <connection string>: the implementation that the product is compared with. It serves
// POST /api/v1/orders as an experienced engineer writes it in an afternoon, with Fastify and pg. For the load's orders it
// behaves like the product. It has no request log, which is in its favor.

import { createHash } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import { placeTextbookOrder, type TextbookOrder, TextbookRefusal } from './textbook-order.ts';

// As many connections as pgbench has clients: enough to keep two cores and the disk busy.
const poolConnections = 16;
const windowMilliseconds = 60_000;

const pool = new pg.Pool({ connectionString: process.argv[2], max: poolConnections });
const windows = new Map<string, { began: number; count: number }>();
const app = Fastify({ bodyLimit: 65_536 });
app.decorateRequest('accountId');

interface Caller {
  readonly id: string;
  readonly rate_limit_per_minute: number;
}

/** @throws TextbookRefusal */
async function authenticate(authorization: string | undefined): Promise<Caller> {
  if (authorization === undefined || !/^bearer /i.test(authorization))
    throw new TextbookRefusal(401, 'missing_api_key');
  const { rows } = await pool.query<Caller>({
    name: 'find_account',
    text: 'select id, rate_limit_per_minute from accounts where key_hash = $1',
    values: [createHash('sha256').update(authorization.slice(7)).digest()],
  });
  if (rows[0] === undefined) throw new TextbookRefusal(401, 'invalid_api_key');
  return rows[0];
}

/** Counts a request in the account's minute. @throws TextbookRefusal */
function admit({ id, rate_limit_per_minute: limit }: Caller): number {
  const now = Date.now();
  let window = windows.get(id);
  if (window === undefined || now - window.began >= windowMilliseconds) {
    window = { began: now, count: 0 };
    windows.set(id, window);
  }
  window.count += 1;
  if (window.count > limit) throw new TextbookRefusal(429, 'rate_limited');
  return limit - window.count;
}

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const object = (properties: Readonly<Record<string, object>>) => ({ type: 'object', properties }) as const;

app.post<{
  Body: { package_id: number; customer: string; months?: number };
  Headers: { 'idempotency-key': string };
}>(
  '/api/v1/orders',
  {
    schema: {
      headers: {
        ...object({ 'idempotency-key': { type: 'string', pattern: '^[\\x21-\\x7e]{1,80}$' } }),
        required: ['idempotency-key'],
      },
      body: {
        ...object({
          package_id: integer,
          customer: { type: 'string', pattern: '^\\s*[A-Za-z0-9._@+-]{1,254}\\s*$' },
          months: { type: 'integer', enum: [1, 3, 12] },
        }),
        required: ['package_id', 'customer'],
      },
      response: {
        201: object({
          order: object({
            id: integer,
            kind: text,
            status: text,
            package: object({ id: integer, name: text }),
            months: integer,
            period: text,
            customer: object({ id: integer, reference: text, email: text }),
            price: text,
            refund: text,
            currency: text,
            expires_at: text,
            created_at: text,
            idempotency_key: text,
          }),
          balance: text,
        }),
      },
    },
    onRequest: async (request, reply) => {
      const caller = await authenticate(request.headers.authorization);
      reply.header('ratelimit-policy', `"default";q=${caller.rate_limit_per_minute};w=60`);
      reply.header('ratelimit', `"default";r=${admit(caller)}`);
      request.setDecorator('accountId', caller.id);
    },
  },
  async (request, reply) => {
    const { order, replayed } = await placeTextbookOrder(pool, {
      accountId: request.getDecorator<string>('accountId'),
      idempotencyKey: request.headers['idempotency-key'],
      packageId: request.body.package_id,
      customer: request.body.customer.trim().toLowerCase(),
      months: request.body.months ?? 1,
    });
    if (replayed) reply.header('idempotent-replayed', 'true');
    return reply.code(201).send({ order: viewOf(order), balance: amount(order.balance_after_cents) });
  },
);

app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
  const status = error instanceof TextbookRefusal ? error.status : (error.statusCode ?? 500);
  const code = error instanceof TextbookRefusal ? error.code : 'internal_error';
  return reply.code(status).send({ error: { code, message: error.message, details: {} } });
});

function viewOf(order: TextbookOrder) {
  return {
    id: Number(order.id),
    kind: order.kind,
    status: 'completed',
    package: { id: order.package_id, name: order.package_name },
    months: order.months,
    period: { 1: 'monthly', 3: 'quarterly', 12: 'yearly' }[order.months] ?? '',
    customer: {
      id: Number(order.customer_id),
      reference: order.reference,
      email: order.reference.includes('@') ? order.reference : '',
    },
    price: amount(order.price_cents),
    refund: '0.00',
    currency: 'USD',
    expires_at: time(order.expires_at),
    created_at: time(order.created_at),
    idempotency_key: order.idempotency_key,
  };
}

function amount(cents: string): string {
  const digits = cents.padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function time(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stderr.write(`listens at ${address}\n`);
