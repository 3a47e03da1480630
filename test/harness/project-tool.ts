// A product unlike that of the first edition: a project tool with storage, seats, support and single sign-on.

import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { expectStatus } from './refusals.ts';

const definitions = {
  storage_gb: { name: { en: 'Storage', de: 'Speicher' }, kind: 'count', unit: { en: 'GB' } },
  seats: { name: { en: 'Seats', de: 'Plätze' }, kind: 'count', unit: { en: 'people', de: 'Personen' } },
  sso: { name: { en: 'Single sign-on' }, kind: 'switch' },
  support: { name: { en: '<b>Support</b>' }, kind: 'text' },
  shard: { name: { en: 'Shard' }, kind: 'text', hidden: true },
};
const limits = { support: 'By mail & phone', sso: true, seats: null, storage_gb: 500, shard: 'eu-2' };
const prices = { monthly: '1.00', quarterly: '2.00', yearly: '3.00' };

export async function sellProjectTool({
  admin,
}: TestService): Promise<{ packageId: number; undo(): Promise<void> }> {
  for (const [key, definition] of Object.entries(definitions)) {
    expectStatus(await admin.send('PUT', `/api/admin/v1/limits/${key}`, definition), 200);
  }
  const team = { name: 'Team', limits, prices: { reseller: prices, distributor: prices } };
  const { id } = expectStatus(await admin.post('/api/admin/v1/packages', team), 201).package;
  return {
    packageId: id,
    async undo() {
      expectStatus(await admin.patch(`/api/admin/v1/packages/${id}`, { retired: true }), 200);
      for (const key of Object.keys(definitions)) {
        expectStatus(await admin.send('DELETE', `/api/admin/v1/limits/${key}`), 200);
      }
    },
  };
}
