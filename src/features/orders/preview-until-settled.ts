// A preview is decided by the account and the packages as they are now: where either changed meanwhile, it is decided again.

import { RequestRefused } from '../../platform/http/request-refused.ts';
import type { Account } from '../identity/account-table.ts';
import { PackagesChanged } from '../order-engine/load-batch.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';

const attemptsMax = 3;

/**
 * `preview` answers null where the account's rights changed: then `accountNow` reads it.
 *
 * @throws RequestRefused with service_unavailable where they change again and again, and what `accountNow` throws
 */
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
