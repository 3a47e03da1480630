import { RequestRefused } from '../../platform/http/request-refused.ts';
import type { Account } from '../identity/account-table.ts';
import { PackagesChanged } from '../order-engine/load-batch.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';

const attemptsMax = 3;

/** @throws RequestRefused with service_unavailable after several changes, and any error of `accountNow` */
export async function previewUntilSettled<Preview>(
  packages: PackageCatalogHolder,
  first: Account,
  accountNow: () => Promise<Account>,
  preview: (account: Account) => Promise<Preview | null>,
): Promise<Preview> {
  let account = first;
  for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
    try {
      const settled = await preview(account);
      if (settled !== null) return settled;
      account = await accountNow();
    } catch (error) {
      if (!(error instanceof PackagesChanged)) throw error;
      await packages.reload();
    }
  }
  throw new RequestRefused('service_unavailable');
}
