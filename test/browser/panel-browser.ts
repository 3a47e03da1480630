// A real Chromium before a whole service with the built pages: one Chromium for the files of a process, one service for
// each file, a browser of their own (visitors.ts) for each visitor of a test. Called once at the top of every file here.
// Always true, for every page of every test: a script error, an alert, a broken policy (CSP), a failed answer (5xx)
// or a request to another origin fails the test in which it happened, whatever the test is about. What a failed
// test saw lies in .test-tmp/browser as pictures.

/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, beforeEach } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../scripts/chromium-for-tests.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { builtPagesFolder } from '../../src/platform/http/built-pages.ts';
import { builtDocsFolder } from '../../src/service/docs-pages.ts';
import { signIn } from '../harness/panel-client.ts';
import {
  newVisitor,
  type Surroundings,
  takeVisitor,
  type Visitor,
  type VisitorOptions,
  waitMilliseconds,
} from './visitors.ts';

export interface PanelBrowser {
  readonly service: TestService;
  /** A new browser context. It shares nothing with other visitors but the service. */
  newVisitor(options?: VisitorOptions): Promise<BrowserContext>;
  /** A page of a new visitor, at this path of the service. */
  open(path: string, options?: VisitorOptions): Promise<Page>;
  /** The same, signed in to this account (with testPassword). */
  openAs(account: Pick<TestAccount, 'id'>, path?: string, options?: VisitorOptions): Promise<Page>;
  /** The same, signed in by this cookie. */
  openWith(cookie: string, path: string, options?: VisitorOptions): Promise<Page>;
  /** What the watch has seen in this test so far; taken away, so that the test passes all the same. */
  takeProblems(): readonly string[];
}

const picturesFolder = fileURLToPath(new URL('../../.test-tmp/browser/', import.meta.url));
// To ask a page without a pause takes the processor that the page needs to go on.
const lookAgainMilliseconds = 30;

/**
 * Registers the hooks of a file; use what it returns inside tests. `fill` runs once the service does, before the
 * first test: hooks at the top of a file do not wait for one another.
 */
export function usePanelBrowser(
  fill: (service: TestService) => Promise<void> = async () => {},
  environment: Readonly<Record<string, string>> = {},
): PanelBrowser {
  let service: TestService | undefined;
  let browser: Browser | undefined;
  let problems: string[] = [];
  const visitors = new Set<Visitor>();
  const withPassword = new Set<number>();
  const started = (): TestService => {
    assert.ok(service, 'the service runs once the tests have begun');
    return service;
  };

  async function start(): Promise<void> {
    const chromium = sharedChromium();
    // A browser that does not start leaves no service behind: nobody would end it.
    chromium.catch(() => undefined);
    service = await startTestService({
      environment,
      pagesFolder: builtPagesFolder,
      docsFolder: builtDocsFolder,
      linksLeadHere: true,
      limits: { requestLog: { flushMilliseconds: 100 } },
      ...(lastPort !== undefined && { port: lastPort }),
    });
    lastPort = Number(new URL(service.directAddress).port);
    browser = await chromium;
    await fill(service);
  }
  // Not `before`: that would start them, and nothing end them, in a file none of whose tests was asked for.
  let starting: Promise<void> | undefined;
  beforeEach(() => {
    starting ??= start();
    return starting;
  });
  afterEach(async (context) => {
    const hasPassed = !('passed' in context) || context.passed;
    if (!hasPassed) await takePictures(context);
    // The first comes to rest last, and is the first to serve again.
    for (const visitor of [...visitors].reverse()) await visitor.end(hasPassed);
    visitors.clear();
    const seen = takeProblems();
    assert.deepEqual(seen, [], 'what the pages did besides');
  });
  after(async () => {
    if (!isWorker) await browser?.close();
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
      ...{ browser, address },
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
    // A password is set once: to change it ends the account's other sessions.
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
    async newVisitor(options) {
      const context = await newVisitor(surroundings(), options);
      visitors.add({ context, end: () => context.close() });
      return context;
    },
    open,
    openAs,
    openWith,
    takeProblems,
  };
}

/** Of the service of the file before: what browsers keep is kept by address. */
let lastPort: number | undefined;

/** Of scripts/test.ts: other files will run in this process. */
const isWorker = process.send !== undefined;
let launched: Promise<Browser> | undefined;

/** The Chromium of this process, or a new one in place of one that died. */
async function sharedChromium(): Promise<Browser> {
  const earlier = await launched;
  if (earlier?.isConnected()) return earlier;
  launched = launchChromium(process.env['HEADED'] === '1');
  const browser = await launched;
  if (isWorker) process.once('disconnect', () => void browser.close());
  return browser;
}

/** Until the page has said so in a note, or said it long ago. */
export async function said(page: Page, text: string): Promise<void> {
  const isSaid = () =>
    page.evaluate((wanted) => {
      const { addedTexts } = globalThis as unknown as { addedTexts: readonly string[] };
      return addedTexts.some((added) => added.includes(wanted));
    }, text);
  await untilTrue(isSaid, `the page says "${text}"`);
}

/**
 * What Playwright's `waitForFunction` is for: that evaluates a text in the page at every look but the first, which the
 * pages' content policy forbids.
 */
export async function untilTrue(look: () => Promise<boolean>, expected: string): Promise<void> {
  const until = performance.now() + waitMilliseconds;
  while (!(await look())) {
    assert.ok(performance.now() < until, `waited in vain: ${expected}`);
    await pause(lookAgainMilliseconds);
  }
}
