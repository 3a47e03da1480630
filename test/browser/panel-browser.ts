// A real Chromium with a whole service and its built pages. Call this once at the top of each file.
// Invariant: a script error, an alert, a violated CSP, a 5xx or a request to another origin fails the test in which it
// happens. Screenshots of failed tests are in .test-tmp/browser.

/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, beforeEach } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchChromium } from '../../scripts/chromium-for-tests.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { setupSteps } from '../../src/features/overview/setup-schemas.ts';
import { builtPagesFolder } from '../../src/platform/http/built-pages.ts';
import { builtDocsFolder } from '../../src/service/docs-pages.ts';
import { signIn } from '../harness/panel-client.ts';
import {
  type Surroundings,
  takeVisitor,
  type Visitor,
  type VisitorOptions,
  waitMilliseconds,
} from './visitors.ts';

export interface PanelBrowser {
  readonly service: TestService;
  open(path: string, options?: VisitorOptions): Promise<Page>;
  openAs(account: Pick<TestAccount, 'id'>, path?: string, options?: VisitorOptions): Promise<Page>;
  openWith(cookie: string, path: string, options?: VisitorOptions): Promise<Page>;
  /** Forgets the problems that it returns, so that the test may pass. */
  takeProblems(): readonly string[];
}

type Environment = Readonly<Record<string, string>>;

const picturesFolder = fileURLToPath(new URL('../../.test-tmp/browser/', import.meta.url));
// The pause between polls. Without it, polling would take the page's CPU.
const lookAgainMilliseconds = 30;

/** `fill` runs before the first test, because hooks at the top of a file do not wait for each other. */
export function usePanelBrowser(
  fill: (service: TestService) => Promise<void> = async () => {},
  environment: Environment | (() => Promise<Environment>) = {},
): PanelBrowser {
  let service: TestService | undefined;
  let browser: Browser | undefined;
  let elsewhere: string | null = null;
  let problems: string[] = [];
  const visitors = new Set<Visitor>();
  const withPassword = new Set<number>();
  const started = (): TestService => {
    assert.ok(service, 'the service runs once the tests have begun');
    return service;
  };

  async function start(): Promise<void> {
    const chromium = sharedChromium();
    // If the browser fails to start, nothing else ends the service.
    chromium.catch(() => undefined);
    const values = typeof environment === 'function' ? await environment() : environment;
    elsewhere = values['STRIPE_API_BASE'] ?? null;
    service = await startTestService({
      environment: values,
      pagesFolder: builtPagesFolder,
      docsFolder: builtDocsFolder,
      linksLeadHere: true,
      limits: { requestLog: { flushMilliseconds: 100 } },
      ...(lastPort !== undefined && { port: lastPort }),
    });
    lastPort = Number(new URL(service.directAddress).port);
    browser = await chromium;
    // An operator begins with the business, as after setting the service up.
    await service.database.query({
      name: '',
      text: `update service_state set setup_skipped = '{${setupSteps.join(',')}}'`,
    });
    await fill(service);
  }
  // Do not start in `before`: in a file without selected tests, nothing would end the service again.
  let starting: Promise<void> | undefined;
  beforeEach(() => {
    starting ??= start();
    return starting;
  });
  afterEach(async (context) => {
    const hasPassed = !('passed' in context) || context.passed;
    if (!hasPassed) await takePictures(context);
    // End them in reverse order, so that the first becomes idle last and is used again first.
    for (const visitor of [...visitors].reverse()) await visitor.end(hasPassed);
    visitors.clear();
    const seen = takeProblems();
    assert.deepEqual(seen, [], 'what the pages did besides');
  });
  after(async () => {
    if (browser !== undefined) await leaveChromium(browser);
    await service?.close();
  });

  function takeProblems(): readonly string[] {
    const seen = problems;
    problems = [];
    return seen;
  }

  function surroundings(): Surroundings {
    assert.ok(browser, 'the browser runs once the tests have begun');
    const { address, clock } = started();
    return {
      ...{ browser, address, elsewhere },
      aheadMilliseconds: clock.seconds * 1000 - Date.now(),
      report: (problem) => problems.push(problem),
    };
  }

  async function open(path: string, options?: VisitorOptions): Promise<Page> {
    const visitor = await takeVisitor(surroundings(), options);
    visitors.add(visitor);
    await visitor.page.goto(path);
    return visitor.page;
  }

  async function openAs(
    account: Pick<TestAccount, 'id'>,
    path = '/panel/',
    options: VisitorOptions = {},
  ): Promise<Page> {
    // Set the password only once, because a change ends the account's other sessions.
    const { cookie } = await signIn(started(), account, { setPassword: !withPassword.has(account.id) });
    withPassword.add(account.id);
    return openWith(cookie, path, options);
  }

  async function openWith(cookie: string, path: string, options: VisitorOptions = {}): Promise<Page> {
    const visitor = await takeVisitor(surroundings(), options);
    visitors.add(visitor);
    const [name = '', value = ''] = cookie.split('=');
    await visitor.context.addCookies([
      { name, value, url: started().address, httpOnly: true, sameSite: 'Strict' },
    ]);
    await visitor.page.goto(path);
    return visitor.page;
  }

  async function takePictures({ name }: { readonly name: string }): Promise<void> {
    mkdirSync(picturesFolder, { recursive: true });
    const pages = [...visitors].flatMap(({ context }) => context.pages());
    for (const [index, page] of pages.entries()) {
      const file = `${name.replace(/[^a-z0-9]+/gi, '-').slice(0, 80)}-${index + 1}.png`;
      await page.screenshot({ path: join(picturesFolder, file) }).catch(() => undefined);
    }
  }

  return {
    get service() {
      return started();
    },
    open,
    openAs,
    openWith,
    takeProblems,
  };
}

/** The port of the previous file. Browsers cache by address, so it is used again. */
let lastPort: number | undefined;

/** scripts/test.ts sets this: other files will run in this process too. */
const isWorker = process.send !== undefined;
let launched: Promise<Browser> | undefined;

/** The browser of all files of this process. End with `leaveChromium`. */
export async function sharedChromium(): Promise<Browser> {
  const earlier = await launched;
  if (earlier?.isConnected()) return earlier;
  launched = launchChromium(process.env['HEADED'] === '1');
  const browser = await launched;
  if (isWorker) process.once('disconnect', () => void browser.close());
  return browser;
}

/** Files that run later in this process use the browser too. */
export async function leaveChromium(browser: Browser): Promise<void> {
  if (!isWorker) await browser.close();
}

export async function said(page: Page, text: string): Promise<void> {
  const isSaid = () =>
    page.evaluate((wanted) => {
      const { addedTexts } = globalThis as unknown as { addedTexts: readonly string[] };
      return addedTexts.some((added) => added.replaceAll('\u00a0', ' ').includes(wanted));
    }, text);
  await untilTrue(isSaid, `the page says "${text}"`);
}

/** Playwright's `waitForFunction` evaluates text in the page, which the content policy forbids. */
export async function untilTrue(look: () => Promise<boolean>, expected: string): Promise<void> {
  const until = performance.now() + waitMilliseconds;
  while (!(await look())) {
    assert.ok(performance.now() < until, `waited in vain: ${expected}`);
    await pause(lookAgainMilliseconds);
  }
}

// A page that has just opened may still be loading, so look until it shows what is expected instead of once.

export async function untilDisabled(control: Locator, expected = 'a disabled control'): Promise<void> {
  await untilTrue(() => control.isDisabled(), expected);
}

export async function untilValue(field: Locator, value: string, expected = value): Promise<void> {
  await untilTrue(async () => (await field.inputValue()) === value, `a field with "${expected}"`);
}

export async function untilCount(found: Locator, count: number, expected = String(found)): Promise<void> {
  await untilTrue(async () => (await found.count()) === count, `${count} × ${expected}`);
}
