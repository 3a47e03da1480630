// The short form of proof/machines/long-broken-database.ts. Recovery times are printed but not checked.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type BreakableService,
  type BreakageName,
  openBreakableService,
  sceneNames,
  sceneOf,
  whyNotHere,
} from '../../proof/machines/broken-database.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';

const promises: readonly (readonly [BreakageName, string])[] = [
  ['server killed', 'a server that is killed -9 costs no order, and none is charged twice'],
  ['backend killed', 'a server that crashes and recovers by itself costs no order'],
  ['backends terminated', 'sessions that an operator ends again and again are replaced'],
  ['connections cut at commit', 'connections cut at COMMIT, under load, cost no order'],
  ['connections half open', 'connections that fell silent are given up, and orders flow through new ones'],
  ['network stalled', 'a COMMIT that arrives late, after its order was answered with 503, charges once'],
  ['backends stalled', 'backends that hang and go on do not keep accounts locked, and charge once'],
  ['server read-only', 'a server that becomes read-only is waited for, and costs no order'],
  ['disk full', 'a full disk is waited for, and costs no order'],
  ['table locked, locks time out', 'a lock that the server does not wait for is a reason to come again'],
  ['connections taken', 'a server without a free connection is waited for'],
];

// The scenes mostly wait (for the server, for the first 503), so all of them run in parallel.
describe('a database that breaks under load', { concurrency: sceneNames.length, timeout: 600_000 }, () => {
  for (const scene of sceneNames) {
    describe(`on the service with a ${scene} of its own`, { concurrency: 1 }, () => {
      const reason = whyNotHere(scene);
      let service: BreakableService;
      before(async () => {
        if (reason === null) service = await openBreakableService(scene, { isShort: true });
      });
      after(async () => {
        if (reason === null) assert.deepEqual(await service.end(), []);
      });
      const own = promises.filter(([breakage]) => sceneOf(breakage) === scene);
      for (const [breakage, title] of own) {
        test(title, { skip: reason ?? false }, async (context) => {
          const { problems, lost, doubled, verify, ...figures } = await service.breakDatabase({
            ...{ breakage, seed, isShort: true },
          });
          context.diagnostic(`seed ${seed}: ${JSON.stringify(figures)}`);
          assert.deepEqual(
            { problems, lost, doubled, verify },
            { problems: [], lost: [], doubled: [], verify: [] },
          );
          assert.ok(figures.ordersAcknowledged >= 40 && figures.recoveries.length > 0, 'something was tried');
        });
      }
    });
  }
});
