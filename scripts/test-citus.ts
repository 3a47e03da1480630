// `npm run test:citus`: the service's tests on servers with Citus, with the accounts in two groups on its workers. Not
// part of `npm test`: it needs the servers that TEST_CITUS_URL and TEST_CITUS_WORKERS name, and says so.
// Usage: npm run test:citus -- [file]...

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onBothDatabases } from './test-groups.ts';
import { citusServers, citusServersWanted } from './throwaway/citus-database.ts';

if (citusServers() === null) {
  console.error(`${citusServersWanted} deploy/citus has them as containers.`);
  process.exit(2);
}

const wanted = process.argv.slice(2);
const files = onBothDatabases
  .filter(
    (name) => wanted.length === 0 || wanted.some((part) => `test/service/${name}.test.ts`.includes(part)),
  )
  .map((name) => `test/service/${name}.test.ts`);
const child = spawn(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=600000', '--test-reporter=spec', ...files],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, TEST_DATABASE: 'postgres' },
    stdio: 'inherit',
  },
);
const [code] = await once(child, 'close');
process.exitCode = code === 0 ? 0 : 1;
