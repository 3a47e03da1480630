// The language of the test mode oracle's tables, in addition to oracle-scene.ts. Lines that start with "live" are the live
// account's at real time; the others are the test account's, by the test clock.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Oracle } from '../../proof/oracle/oracle.ts';
import { createOracle } from '../../proof/oracle/oracle.ts';
import type { Refusal } from '../../proof/oracle/oracle-request.ts';
import { createTestMode, type EmittedAt, type MoveOutcome } from '../../proof/oracle/oracle-test-mode.ts';
import {
  amount,
  cents,
  createScene,
  refusalText,
  rival,
  sceneWorld,
  secondsOf,
  shop,
  timeText,
} from './oracle-scene.ts';

/** Lines that start with # are comments. The first line's time creates the test account. */
export function examineTestMode(name: string, tables: Readonly<Record<string, string>>): void {
  describe(name, () => {
    for (const [title, table] of Object.entries(tables)) {
      test(title, () => {
        let run: ReturnType<typeof createTestScene> | null = null;
        const lines = table.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
        for (const line of lines) {
          const [when = '', what = '', expected = ''] = line.split('|').map((cell) => cell.trim());
          run ??= createTestScene(secondsOf(when));
          assert.equal(run(what, secondsOf(when)), expected, line.trim());
        }
      });
    }
  });
}

/** Returns a function that carries out a table's line and returns its effect as text. */
function createTestScene(realStart: number) {
  const live = createOracle(sceneWorld);
  const tests = createTestMode(sceneWorld);
  for (const { id } of sceneWorld.accounts) tests.useTestAccount(id, realStart);
  const liveScene = createScene(live);
  const testScene = createScene(tests.oracle);
  /** The events since the last line "emits". */
  let emitted: EmittedAt[] = [];

  return function run(line: string, realNow: number): string {
    const [verb = '', first = '', second = ''] = line.split(' ');
    const accountId = shop;
    const headerKey = /key=(\S+)/.exec(line)?.[1];
    if (verb === 'live') return liveScene.run(line.slice('live '.length), realNow);
    if (verb === 'both') {
      liveScene.run(line.slice('both '.length), realNow);
      return testScene.run(line.slice('both '.length), realNow);
    }
    if (verb === 'move' || verb === 'now') {
      const text = verb === 'move' ? first : `${first}T${second.includes(':') ? second : '00:00:00'}Z`;
      const body = verb === 'move' ? { advance: text } : { now: text };
      const outcome = tests.moveClock({ accountId, body, headerKey });
      if ('emitted' in outcome) emitted.push(...outcome.emitted);
      return moveText(outcome);
    }
    if (verb === 'send') {
      const outcome = tests.moveClock({ accountId, body: JSON.parse(line.slice('send '.length)) });
      return moveText(outcome);
    }
    if (verb === 'clock') return timeText(tests.clockOf(accountId));
    if (verb === 'top-up') {
      const outcome = tests.credit({ accountId, body: { amount: first }, headerKey });
      if ('code' in outcome) return refusalText(outcome);
      return `balance ${amount(outcome.balanceAfterCents)}${outcome.replayed ? ', replayed' : ''}`;
    }
    if (verb === 'reset') {
      const outcome: { status: 200 } | Refusal = tests.reset({ accountId }, realNow);
      return 'code' in outcome ? refusalText(outcome) : 'done';
    }
    if (verb === 'alerts') {
      const [, below] = /below=(\S+)/.exec(line) ?? [];
      const [, days] = /days=(\S+)/.exec(line) ?? [];
      tests.setAlerts(accountId, {
        balanceBelowCents: below === undefined ? null : cents(below),
        plansEndingDays: days === undefined ? null : Number(days),
      });
      return 'done';
    }
    if (verb === 'emits') {
      const texts = emitted.map(({ at, text }) => `${timeText(at)} ${withTimes(text)}`);
      emitted = [];
      return texts.join('; ') || 'nothing';
    }
    if (verb === 'books') return booksText(tests.oracle);
    if (verb === 'schedule') {
      const prices = { 1: cents(second) };
      const input = { packageId: 10, from: secondsOf(first), prices: { reseller: prices } };
      const outcome = live.schedulePrices(input, realNow);
      assert.ok(!('code' in outcome));
      // Administrators act in real time, so test clocks do not apply.
      tests.oracle.schedulePrices(input, Number.NEGATIVE_INFINITY);
      return 'done';
    }
    return testScene.run(line, tests.clockOf(verb === 'rival' ? rival : shop));
  };
}

/** Such as "renewals 1, warnings 2, at 2026-02-28". Zeros are left out. */
function moveText(outcome: MoveOutcome): string {
  if ('code' in outcome) return refusalText(outcome);
  const { renewals, renewalsFailed, ended, warnings } = outcome.happened;
  const counted = Object.entries({ renewals, failed: renewalsFailed, warnings, ended });
  const parts = counted.filter(([, count]) => count > 0).map(([what, count]) => `${what} ${count}`);
  return [...parts, `at ${timeText(outcome.clockAt)}`, ...(outcome.replayed ? ['replayed'] : [])].join(', ');
}

function withTimes(text: string): string {
  return text.replace(/until ([0-9]+)/, (_whole, seconds: string) => `until ${timeText(Number(seconds))}`);
}

function booksText(oracle: Oracle): string {
  const entries = oracle.ledger(shop).map(({ kind, amountCents, createdAt }) => {
    assert.ok(createdAt !== null);
    return `${timeText(createdAt)} ${kind} ${amount(amountCents)}`;
  });
  return `${entries.join('; ')}; balance ${amount(oracle.balance(shop).balanceCents)}`;
}
