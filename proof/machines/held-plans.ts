// Sets and lifts holds while the service is killed. A request with an unknown outcome is not repeated. Part of
// kill-proof.ts.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import type { Shop } from './kill-proof.ts';
import { mustLive } from './living-plans.ts';

export interface HeldPlans {
  /** Each of the last changes gets its own product call. Resolves to the number of changes. */
  finish(): Promise<number>;
  stop(): void;
}

interface HeldPlansOptions {
  readonly shop: Shop;
  readonly adminKey: string;
  readonly seed: number;
  readonly restMilliseconds?: number;
  readonly address: () => string;
}

interface Listed {
  readonly id: number;
  readonly reference: string;
}

const changesOfList = 20;
const lastChanges = 25;

export function startHeldPlans({
  shop,
  adminKey,
  seed,
  restMilliseconds = 15,
  address,
}: HeldPlansOptions): HeldPlans {
  let isOver = false;
  let isStopped = false;
  let changes = 0;

  async function changeOnAndOn(account: Shop['accounts'][number]): Promise<void> {
    const random = createRandom(seed * 1_000 + 700 + account.id);
    const unlessGone = (request: Promise<Answer>) => request.catch(() => null);
    let left = lastChanges;
    while (left > 0 && !isStopped) {
      const list = await unlessGone(createApiClient(address(), account.key).get('/customers?limit=100'));
      const customers: readonly Listed[] = list?.status === 200 ? list.body.data : [];
      if (customers.length === 0) await pause(restMilliseconds);
      for (
        let count = 0;
        count < changesOfList && customers.length > 0 && left > 0 && !isStopped;
        count += 1
      ) {
        const { id, reference } = random.pick(customers);
        const reseller = createApiClient(address(), account.key);
        const admin = createApiClient(address(), adminKey);
        const set = (status: string) => admin.patch(`/api/admin/v1/customers/${id}`, { status });
        const requests = [
          () => reseller.post(`/customers/${id}/suspend`, {}),
          () => reseller.post(`/customers/${id}/resume`, {}),
          () => set('suspended'),
          () => set('active'),
          // Customers of living-plans.ts are left out, because they are compared with their own journals.
          ...(mustLive(reference)
            ? []
            : [() => reseller.post(`/customers/${id}/cancel`, { at: 'period_end' })]),
        ];
        const answer = await unlessGone(random.pick(requests)());
        if (answer?.status === 200) {
          changes += 1;
          if (isOver) left -= 1;
        } else if (answer !== null) assert.ok([422, 503].includes(answer.status), answer.text);
        await pause(restMilliseconds);
      }
    }
  }

  const changing = Promise.all(shop.accounts.map(changeOnAndOn));
  // This promise is awaited at the end. If it fails before that, the process must not end.
  changing.catch(() => undefined);
  return {
    async finish() {
      isOver = true;
      await changing;
      return changes;
    },
    stop() {
      isStopped = true;
    },
  };
}
