// npm run daily-tasks: measures the clicks, keys and seconds that everyday tasks take, from the landing page, in the
// Chromium of the browser tests, on its own service with the demo's year. Exits with 1 if a task exceeds its click limit.
//   --data folder    uses a copy of this demo database; otherwise a year is played first
//   --headed         shows the browser's window

import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mintPassword } from '../src/platform/secrets/password-hash.ts';
import { launchChromium } from './chromium-for-tests.ts';
import { dailyTasks, Hand } from './demo/daily-steps.ts';
import { openDemoStage, signInOnStage } from './demo/demo-stage.ts';

const { values } = parseArgs({
  options: { data: { type: 'string' }, headed: { type: 'boolean', default: false } },
});
const reseller = 'brightline';
const password = mintPassword();
const say = (text: string) => process.stderr.write(text);

const dataDir = mkdtempSync(join(tmpdir(), 'sellthrough-daily-tasks-'));
if (values.data !== undefined) {
  if (!existsSync(join(values.data, 'postgres'))) throw new Error(`There is no demo in ${values.data}.`);
  cpSync(values.data, dataDir, { recursive: true });
}
const stage = await openDemoStage(dataDir, password, say);
const browser = await launchChromium(values.headed);
try {
  const open = async (username: string) => {
    const context = await browser.newContext({
      baseURL: stage.address,
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      viewport: { width: 1280, height: 900 },
    });
    const page = await context.newPage();
    await signInOnStage(page, username, password);
    await page.waitForLoadState('networkidle');
    return page;
  };
  await prepare();
  const rows: Record<string, string | number>[] = [];
  for (const { name, role, clicksMax, secondsMax, steps } of dailyTasks) {
    const page = await open(role === 'administrator' ? 'admin' : reseller);
    const hand = new Hand();
    const began = performance.now();
    const seen = await steps(hand, page, reseller);
    const seconds = (performance.now() - began) / 1000;
    await page.context().close();
    if (hand.clicks > clicksMax) process.exitCode = 1;
    rows.push({
      task: name,
      clicks: `${hand.clicks} of ${clicksMax}`,
      keys: hand.keys,
      seconds: `${seconds.toFixed(1)}${secondsMax === undefined ? '' : ` of ${secondsMax}`}`,
      seen: seen.replace(/\s+/g, ' ').slice(0, 60),
    });
  }
  console.table(rows);

  async function prepare(): Promise<void> {
    const account = stage.accountId(reseller);
    await stage.asAdministrator('POST', `/accounts/${account}/credit`, {
      amount: '20000.00',
      memo: 'Daily tasks',
    });
    const page = await open(reseller);
    await page.goto('/panel/requests');
    await page.getByRole('button', { name: /^Bodies: / }).click();
    const keeping = page.getByRole('switch', { name: 'Log request and response bodies for 7 days' });
    if (!(await keeping.isChecked())) await keeping.click();
    await page.getByRole('switch', { checked: true }).first().waitFor();
    await stage.asAccount(reseller, 'POST', '/orders', { package_id: 999, customer: 'ada@example.com' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.context().close();
  }
} finally {
  await browser.close();
  await stage.close();
  rmSync(dataDir, { recursive: true, force: true });
}
