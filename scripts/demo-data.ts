// npm run demo:data: fills a fresh database (embedded in DATA_DIR, or DATABASE_URL) with a year of business of several
// resellers, the last month in full detail, and prints how to sign in. The same seed gives the same year, up to now.
// Refuses a database that is in use.

import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { mintPassword } from '../src/platform/secrets/password-hash.ts';
import { readConfig } from '../src/setup/config.ts';
import { resellerPlans } from '../src/setup/demo-year/demo-resellers.ts';
import { errorMessageOf } from '../src/setup/error-message.ts';
import { ConfigProblem } from '../src/setup/settings.ts';
import { fillDemo } from './demo/fill-demo.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    share: { type: 'string', default: '1' },
  },
});

try {
  const [seed, share] = [Number(values.seed), Number(values.share)];
  if (!Number.isSafeInteger(seed)) throw new ConfigProblem('--seed must be a whole number.');
  if (!(share > 0 && share <= 10)) throw new ConfigProblem('--share must be a number above 0, at most 10.');
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = readConfig(process.env);
  const where = config.database.kind === 'embedded' ? config.database.dataDir : 'PostgreSQL';
  const say = (text: string) => process.stderr.write(text);
  say(`Playing a year of business into ${where}: this takes a minute or two …\n`);
  const password = mintPassword();
  const { administrator, orders, entries } = await fillDemo(config, {
    seed,
    share,
    until: Math.floor(Date.now() / 1000),
    password,
    say,
  });
  const seller = (username: string) => resellerPlans.find((plan) => plan.username === username)?.displayName;
  const known = administrator?.password ?? 'as before, or as given in ADMIN_PASSWORD';
  const start =
    process.env['DATA_DIR'] === undefined ? 'npm start' : `DATA_DIR=${process.env['DATA_DIR']} npm start`;
  say(`
${orders} orders, ${entries} ledger entries: everything adds up. Start the service with "${start}" and sign in at
/panel/. These passwords are shown only now; the administrator is asked for a new one:
  administrator  ${administrator?.username ?? config.administrator.username}, password ${known}
  resellers      all with the password ${password}
                 brightline (${seller('brightline')}: much business), lumen (${seller('lumen')}: a little),
                 fjord-kreativ (${seller('fjord-kreativ')}: just begun), hartwig-partner (blocked)
`);
} catch (error) {
  process.stderr.write(`demo:data: ${errorMessageOf(error)}\n`);
  process.exitCode = 1;
}
