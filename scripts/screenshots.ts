// npm run screenshots: every page of the panel, the console and the customer's pages, light and dark, at widths 1280, 768
// and 390, in English and German, and in forced colors, on the demo's year, in the Chromium of the browser tests, for visual
// inspection.
//   --out shots      the folder for the pictures
//   --data folder    keeps the demo's database there for the next run
//   --only order     pages whose name contains this text
//   --as light-1280  looks (light-1280, dark-390, forced-1280, de-light-390 …) whose name contains this text
//   --documents      README.md's pictures, into docs/screenshots
// Starts a service of its own. Exit code 1 if a page logs an error or scrolls sideways.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { mintPassword } from '../src/platform/secrets/password-hash.ts';
import { launchChromium } from './chromium-for-tests.ts';
import { openDemoStage, signInOnStage } from './demo/demo-stage.ts';
import { documentShots, pageShots, type Role, type Scene } from './demo/page-shots.ts';
import { showEndpoints } from './demo/shown-endpoints.ts';
import { readWords, translatedPage } from './demo/translated-page.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'shots' },
    data: { type: 'string' },
    only: { type: 'string', default: '' },
    as: { type: 'string', default: '' },
    documents: { type: 'boolean', default: false },
  },
});

interface Look {
  readonly name: string;
  readonly scheme: 'light' | 'dark';
  readonly width: number;
  readonly language: 'en' | 'de';
  readonly isForced: boolean;
}

const common = { language: 'en', isForced: false } as const;
const looks: readonly Look[] = [
  ...(['en', 'de'] as const).flatMap((language) =>
    (['light', 'dark'] as const).flatMap((scheme) =>
      [1280, 768, 390].map((width) => {
        const name = `${language === 'en' ? '' : `${language}-`}${scheme}-${width}`;
        return { ...common, language, scheme, width, name };
      }),
    ),
  ),
  { ...common, scheme: 'light', width: 1280, name: 'forced-1280', isForced: true },
];
const say = (text: string) => process.stderr.write(text);
const password = mintPassword();
const problems: string[] = [];

const dataDir = values.data ?? mkdtempSync(join(tmpdir(), 'sellthrough-screenshots-'));
const folder = values.documents ? join(import.meta.dirname, '..', 'docs', 'screenshots') : values.out;
mkdirSync(folder, { recursive: true });
const stage = await openDemoStage(dataDir, password, say);
let endEndpoints = async () => {};
try {
  endEndpoints = await showEndpoints(stage, 'brightline');
  // Sets the password again, because the panel requires a change of one that another person chose.
  await stage.asAdministrator('PATCH', `/accounts/${stage.accountId('lumen')}`, { password });
  const browser = await launchChromium(false);
  try {
    for (const look of looks) {
      if (look.name.includes(values.as)) await photograph(browser, look);
    }
  } finally {
    await browser.close();
  }
} finally {
  await endEndpoints();
  await stage.close();
  if (values.data === undefined) rmSync(dataDir, { recursive: true, force: true });
}
for (const problem of problems) say(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

function isWanted(name: string, look: string): boolean {
  return !values.documents || documentShots.includes(`${name}-${look}`);
}

async function photograph(browser: Browser, { name: look, scheme, width, language, isForced }: Look) {
  const words = language === 'en' ? new Map<string, string>() : readWords(language);
  const height = width < 500 ? 844 : 800;
  const usernames: Record<Role, string | null> = {
    visitor: null,
    reseller: 'brightline',
    newcomer: 'fjord-kreativ',
    invited: 'lumen',
    administrator: 'admin',
  };
  for (const role of Object.keys(usernames) as Role[]) {
    const wanted = pageShots.filter(
      (shot) => shot.role === role && shot.name.includes(values.only) && isWanted(shot.name, look),
    );
    if (wanted.length === 0) continue;
    const context = await browser.newContext({
      baseURL: stage.address,
      colorScheme: scheme,
      viewport: { width, height },
      hasTouch: width < 500,
      forcedColors: isForced ? 'active' : 'none',
      locale: language === 'en' ? 'en-GB' : 'de-DE',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
    });
    const page = translatedPage(await context.newPage(), words);
    const username = usernames[role];
    if (username !== null) await signInOnStage(page, username, password);
    page.on('pageerror', (error) => problems.push(`${look} ${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      const isStatus = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isStatus) problems.push(`${look} ${page.url()}: ${message.text()}`);
    });
    const scene: Scene = { page, accountId: stage.accountId };
    for (const shot of wanted) {
      try {
        await shot.open(scene);
      } catch (error) {
        problems.push(
          `${look} ${shot.name}: ${error instanceof Error ? error.message.split('\n')[0] : error}`,
        );
        continue;
      }
      await settle(page);
      const overflow = await page.evaluate<number>(
        'document.documentElement.scrollWidth - window.innerWidth',
      );
      if (overflow > 0) problems.push(`${look} ${shot.name}: ${overflow} px too wide`);
      await page.screenshot({
        path: join(folder, `${shot.name}-${look}.png`),
        fullPage: !values.documents && (shot.whole ?? true),
      });
    }
    await context.close();
  }
  say(`${look} done\n`);
}

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.evaluate('document.fonts.ready.then(() => null)');
}
