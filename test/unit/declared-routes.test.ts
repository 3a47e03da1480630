// A route without a declaration stops the start, and an undeclared refusal fails tests of whole services.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify, { type RouteShorthandOptions } from 'fastify';
import { installErrors, undeclaredCode } from '../../src/platform/http/error-responses.ts';
import {
  type DeclaredRoute,
  declareRoutes,
  type RouteGuard,
} from '../../src/platform/http/route-declarations.ts';
import { refusal } from '../../src/shared/error-catalog.ts';

const schema = { operationId: 'getThing' };

function createApp(authenticate = async () => undefined) {
  const messages: string[] = [];
  const declared: DeclaredRoute[] = [];
  const stream = { write: (line: string) => messages.push(JSON.parse(line).msg) };
  const app = Fastify({ exposeHeadRoutes: false, logger: { level: 'error', stream } });
  installErrors(app);
  declareRoutes(app, { tag: 'v1', kind: 'key', codes: ['rate_limited'], authenticate }, declared);
  return { app, messages, declared };
}

test('a route that declares no scopes, no codes or no name stops the start', () => {
  const { app } = createApp();
  const declaration = { scopes: [], codes: [] };
  const incomplete: readonly RouteShorthandOptions[] = [
    { schema },
    { schema, config: {} },
    { schema, config: { scopes: [] } },
    { schema, config: { codes: [] } },
    { config: declaration },
    { schema: { summary: 'Nameless' }, config: declaration },
  ];
  for (const options of incomplete)
    assert.throws(() => app.get('/thing', options, async () => ({})), /GET \/thing declares no/);
  app.get('/thing', { schema, config: declaration }, async () => ({}));
});

test('what follows from method and scopes is declared by itself', async () => {
  const { app, declared } = createApp();
  const config = { scopes: ['admin:read'], codes: ['order_not_found'] } as const;
  app.get('/things/:id', { schema, config }, async () => ({}));
  app.post('/things', { schema, config: { scopes: [], codes: [], isReplayable: true } }, async () => ({}));
  const [read, write] = declared;
  assert.deepEqual(
    [read?.path, read?.codes],
    ['/things/{id}', ['rate_limited', 'forbidden', 'insufficient_scope', 'order_not_found']],
  );
  assert.deepEqual([write?.isReplayable, write?.codes], [true, ['rate_limited', 'payload_too_large']]);
});

test('the guard learns which scopes the route needs', async () => {
  const asked: unknown[] = [];
  const { app } = createApp((async (_request: unknown, _reply: unknown, scopes: unknown) => {
    asked.push(scopes);
  }) as () => Promise<undefined>);
  app.get('/thing', { schema, config: { scopes: ['orders:read'], codes: [] } }, async () => ({}));
  await app.inject('/thing');
  assert.deepEqual(asked, [['orders:read']]);
});

test('a refusal with a code that the route does not declare is logged as a fault, and answered all the same', async () => {
  const { app, messages } = createApp();
  const config = { scopes: [], codes: ['order_not_found'] } as const;
  app.get('/declared', { schema, config }, (_request, reply) => reply.refuse(refusal('order_not_found')));
  app.get('/other', { schema, config }, (_request, reply) => reply.refuse(refusal('package_not_found')));
  assert.equal((await app.inject('/declared')).statusCode, 404);
  assert.deepEqual(messages, []);
  assert.equal((await app.inject('/other')).json().error.code, 'package_not_found');
  assert.deepEqual(messages, [undeclaredCode]);
});

test('a sensitive action is confirmed before anything else of its route, and only behind a guard that asks', async () => {
  const sensitiveAction = { passwordField: 'password' } as const;
  const config = { scopes: [], codes: [], sensitiveAction };
  const answersOf = async (reauthenticate: RouteGuard['reauthenticate']) => {
    const app = Fastify();
    const declared: DeclaredRoute[] = [];
    const guard = {
      tag: 'panel',
      kind: 'session',
      codes: [],
      authenticate: async () => undefined,
      reauthenticate,
    } as const;
    declareRoutes(app, guard, declared);
    const preHandler = async () => void steps.push('the route’s own hook');
    app.post('/sensitive', { schema, config, preHandler }, async () => 'done');
    app.post('/other', { schema, config: { scopes: [], codes: [] } }, async () => 'done');
    const answers = [];
    for (const url of ['/sensitive', '/other'])
      answers.push((await app.inject({ method: 'POST', url })).body);
    return {
      answers,
      declared: declared.map((route) => [route.sensitiveAction, route.codes.includes('wrong_password')]),
    };
  };
  const steps: unknown[] = [];
  const refused = await answersOf(async (_request, reply, asked) => {
    steps.push(asked);
    return reply.send('refused');
  });
  assert.deepEqual([refused.answers, steps], [['refused', 'done'], [sensitiveAction]]);
  assert.deepEqual(refused.declared, [
    [sensitiveAction, true],
    [null, false],
  ]);
  const open = await answersOf(undefined);
  assert.deepEqual(
    [open.answers, steps],
    [
      ['done', 'done'],
      [sensitiveAction, 'the route’s own hook'],
    ],
  );
  assert.deepEqual(open.declared, [
    [null, false],
    [null, false],
  ]);
});
