// GET and POST /test/clock, POST /test/credit, POST /test/reset. They refuse live keys; all other routes accept test keys.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Database, ranked } from '../../platform/database/database.ts';
import { bodyOf, idempotencyKeyOf, markReplayed, readableKeyFirst } from '../../platform/http/idempotency.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import { formatAmount, parseAmount } from '../../shared/amounts.ts';
import { fieldRefusal, type Refusal } from '../../shared/error-catalog.ts';
import type { JsonObject } from '../../shared/json.ts';
import { type EpochSeconds, formatTime, parseDuration, parseTime } from '../../shared/times.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { realIdOf } from '../identity/principal.ts';
import { creditedView } from '../ledger/ledger-entry-view.ts';
import { creditedSchema } from '../ledger/ledger-schemas.ts';
import type { ClockTarget } from '../order-engine/decisions/order-commands.ts';
import { expectOutcome } from '../orders/expect-outcome.ts';
import { keyed } from '../orders/order-command.ts';
import { createSubmitter, type SubmitDependencies } from '../orders/submit-commands.ts';
import { moveClock, type TestClockLimits } from './move-clock-in-steps.ts';
import { resetTestAccount } from './reset-test-account.ts';
import {
  moveTestClockBodySchema,
  testClockAnswerSchema,
  testClockMovedSchema,
  testCreditBodySchema,
  testResetSchema,
} from './test-mode-schemas.ts';

export interface TestRoutesDependencies extends SubmitDependencies {
  readonly database: Database;
  readonly currency: string;
  /** The real time, at which a new test begins. */
  readonly now: () => EpochSeconds;
  readonly monotonicNow: () => number;
  readonly testClockLimits: TestClockLimits;
  readonly forgetAccount: (id: number) => void;
}

const creditCentsMax = 100_000_000n;

const keyCodes = ['invalid_idempotency_key', 'idempotency_conflict'] as const;

export function testRoutes(app: FastifyInstance, dependencies: TestRoutesDependencies): void {
  const { database, now } = dependencies;
  const changes = ranked(database, 'changes');

  app.get(
    '/test/clock',
    {
      preValidation: inTestMode,
      config: { scopes: ['balance:read'], codes: ['test_mode_only'] },
      schema: {
        operationId: 'getTestClock',
        summary: 'What time it is in the test',
        description:
          'It stands still until you move it. Everything that happens in the test happens at this time.',
        response: { 200: testClockAnswerSchema },
      },
    },
    async (request, reply) => {
      return reply.send({ clock: { now: formatTime(request.principal.now()) } });
    },
  );

  app.post(
    '/test/clock',
    {
      preValidation: inTestMode,
      config: {
        parsesBody: true,
        scopes: ['orders:write'],
        codes: [
          'test_mode_only',
          ...keyCodes,
          'validation_failed',
          'clock_moving',
          'reset_in_progress',
          'order_failed',
          'test_full',
        ],
        isReplayable: true,
      },
      schema: {
        operationId: 'moveTestClock',
        summary: 'Move the time of the test forward',
        description:
          'Everything that would happen on the way happens at its time and in order: plans renew and end, and notices and events occur. The answer comes when the clock is there, or after 30 seconds with reached: false.',
        body: moveTestClockBodySchema,
        response: { 200: testClockMovedSchema },
      },
    },
    (request, reply) => moveTestClock(dependencies, request, reply),
  );

  app.post<WithBody<typeof testCreditBodySchema>>(
    '/test/credit',
    {
      preValidation: [inTestMode, readableKeyFirst],
      config: {
        scopes: ['orders:write'],
        codes: ['test_mode_only', ...keyCodes, 'validation_failed', 'order_failed', 'test_full'],
        isReplayable: true,
      },
      schema: {
        operationId: 'creditTest',
        summary: 'Add money to the balance of the test',
        description: 'As much as you need: it buys nothing real.',
        body: testCreditBodySchema,
        response: { 201: creditedSchema },
      },
    },
    (request, reply) => creditTest(dependencies, request, reply),
  );

  app.post(
    '/test/reset',
    {
      preValidation: inTestMode,
      config: {
        scopes: ['orders:write'],
        codes: ['test_mode_only', ...keyCodes, 'reset_in_progress'],
        isReplayable: true,
      },
      schema: {
        operationId: 'resetTest',
        summary: 'Begin the test again',
        description:
          'Customers, orders, ledger, events and endpoints of the test are gone, its balance is as at the beginning, and its clock shows the real time. Its keys stay.',
        response: { 200: testResetSchema },
      },
    },
    async (request, reply) => {
      const key = keyed(idempotencyKeyOf(request));
      const formerId = request.principal.account.id;
      const done = orRefuse(
        await resetTestAccount(
          changes,
          realIdOf(request.principal),
          key.keyIsMinted ? null : key.idempotencyKey,
          now(),
        ),
        'reset_in_progress',
      );
      dependencies.forgetAccount(formerId);
      markReplayed(reply, done);
      return reply.send({ clock: { now: formatTime(done.at) }, balance: formatAmount(done.balanceCents) });
    },
  );
}

async function moveTestClock(
  { engine, monotonicNow, testClockLimits: limits }: TestRoutesDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const key = keyed(idempotencyKeyOf(request));
  const to = orRefuse(readTarget(bodyOf(request)));
  const { id: accountId } = request.principal.account;
  const outcome = expectOutcome(
    await moveClock({ engine, monotonicNow, limits }, { accountId, to, ...key }),
    'clock_moved',
  );
  markReplayed(reply, outcome);
  const { renewals, renewalsFailed, ended, warnings } = outcome.happened;
  return reply.send({
    clock: { now: formatTime(outcome.clock) },
    reached: outcome.isReached,
    ...(outcome.isFull ? { stopped_by: 'test_full' as const } : {}),
    happened: { renewals, renewals_failed: renewalsFailed, ended, warnings },
  });
}

async function creditTest(
  dependencies: TestRoutesDependencies,
  request: FastifyRequest<WithBody<typeof testCreditBodySchema>>,
  reply: FastifyReply,
) {
  const { database, currency } = dependencies;
  const key = keyed(idempotencyKeyOf(request));
  const { body } = request;
  const amountCents = parseAmount(body.amount);
  if (amountCents === null || amountCents <= 0n || amountCents > creditCentsMax) {
    const reason = 'must be more than 0.00 and at most 1000000.00';
    throw new RequestRefused(fieldRefusal('validation_failed', 'amount', reason));
  }
  const outcome = expectOutcome(
    await createSubmitter(
      dependencies,
      request,
    )(({ id: accountId }) => ({
      type: 'credit',
      accountId,
      actorId: realIdOf(request.principal),
      by: request.principal.actor,
      amountCents,
      memo: body.memo ?? null,
      ...key,
    })),
    'credited',
  );
  markReplayed(reply, outcome);
  const { entry } = outcome;
  // A test's initial credit has no actor. A replay may return that entry.
  const actor =
    entry.actorId === null
      ? null
      : ((await findAccountNames(database, [entry.actorId])).get(entry.actorId) ?? null);
  return reply.code(201).send(creditedView(outcome, actor, currency));
}

async function inTestMode({ principal }: FastifyRequest): Promise<void> {
  if (principal.mode !== 'test') throw new RequestRefused('test_mode_only');
}

function readTarget(body: JsonObject): ClockTarget | Refusal {
  const { advance, now } = body;
  if ((advance === undefined) === (now === undefined)) {
    return fieldRefusal(
      'validation_failed',
      advance === undefined ? 'advance' : 'now',
      'send one of advance and now',
    );
  }
  if (advance !== undefined) {
    const duration = parseDuration(advance);
    if (duration !== null) return { type: 'duration', duration };
    const reason = 'must be an ISO 8601 duration of at least a second, such as P1M or P1DT12H';
    return fieldRefusal('validation_failed', 'advance', reason);
  }
  const at = parseTime(now);
  return at === null
    ? fieldRefusal('validation_failed', 'now', 'must be a time such as 2027-01-31T00:00:00Z')
    : { type: 'time', at };
}
