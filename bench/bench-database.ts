// The database of a measured service: on the benchmark's PostgreSQL server, or embedded in a folder. It can be copied while no
// service is connected. So every round begins with the same accounts and an empty history, and the 200 accounts are created
// only once.

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from './bench-stage.ts';

export interface ShopDatabase {
  /** The variables that make the service use this database. */
  readonly environment: Readonly<Record<string, string>>;
  copy(name: string): Promise<ShopDatabase>;
  remove(): Promise<void>;
}

export async function createPostgresShopDatabase(
  stage: Stage,
  name: string,
  { template, groups = 1 }: { readonly template?: string; readonly groups?: number } = {},
): Promise<ShopDatabase> {
  const url = await stage.createDatabase(name, template);
  return {
    environment: { DATABASE_URL: url, ACCOUNT_GROUPS: String(groups) },
    copy: (copyName) => createPostgresShopDatabase(stage, copyName, { template: name, groups }),
    remove: () => stage.dropDatabase(name),
  };
}

export function createEmbeddedShopDatabase(stage: Stage, name: string): ShopDatabase {
  const dataDir = join(stage.folder('embedded'), name);
  return {
    environment: { DATA_DIR: dataDir },
    async copy(copyName) {
      const copied = createEmbeddedShopDatabase(stage, copyName);
      cpSync(dataDir, join(stage.folder('embedded'), copyName), { recursive: true });
      return copied;
    },
    async remove() {
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
