// `npm run demo:data` refuses a database that is in use.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { fillDemo } from '../../scripts/demo/fill-demo.ts';
import { createTestDatabase } from '../../scripts/throwaway/test-database.ts';
import { findAdministratorId } from '../../src/features/identity/find-accounts.ts';
import { createPackageCatalog } from '../../src/features/packages/package-catalog.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { readConfig } from '../../src/setup/config.ts';
import { createDemoPackages } from '../../src/setup/demo-packages.ts';
import { createFirstAdministrator } from '../../src/setup/first-administrator.ts';
import { openDatabase } from '../../src/setup/open-database.ts';

test('a database that is in use is refused and left as it is', async () => {
  const now = 1_773_849_600;
  const testDatabase = await createTestDatabase();
  const config = readConfig({
    SECRET_KEY: randomBytes(32).toString('hex'),
    ...(testDatabase.config.kind === 'embedded'
      ? { DATA_DIR: testDatabase.config.dataDir }
      : { DATABASE_URL: testDatabase.config.connectionString }),
  });
  const rows = (database: Database) => {
    const text =
      'select to_jsonb(p)::text as line from packages p union all select to_jsonb(a)::text from accounts a';
    return database.query({ name: '', text: `${text} order by 1` });
  };
  try {
    const { database, seal } = await openDatabase(config, now);
    await createFirstAdministrator(database, seal, config, now);
    const actorId = await findAdministratorId(database);
    assert.ok(actorId !== null);
    await createDemoPackages(database, await createPackageCatalog(database), { actorId, now });
    const before = await rows(database);
    await database.close();
    assert.ok(before.length > 1);
    const options = { seed: 3, share: 0.03, until: now, password: 'correct horse', say: () => undefined };
    await assert.rejects(fillDemo(config, options), /This database is in use/);
    const after = await openDatabase(config, now);
    assert.deepEqual(await rows(after.database), before);
    await after.database.close();
  } finally {
    await testDatabase.remove();
  }
});
