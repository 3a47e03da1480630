// Watched browser contexts for visitors. Contexts are cleaned and used again, because a new one starts a process that
// compiles every script again: pages then load three times as fast.
// Invariant: a context that is used again has no cookies, storage, listeners or pages of the previous test.

/// <reference lib="dom" />
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Disposable,
  Page,
  ViewportSize,
} from 'playwright-core';

export interface VisitorOptions extends BrowserContextOptions {
  /** Whether pages preload parts when they are idle. Most tests do not need that. */
  readonly fetchesEarly?: boolean;
}

export interface Surroundings {
  readonly browser: Browser;
  readonly address: string;
  /** Another origin that pages may lead to, such as that of a payment provider; null: none. */
  readonly elsewhere: string | null;
  /** By how much the service's clock is ahead of the real time. */
  readonly aheadMilliseconds: number;
  readonly report: (problem: string) => void;
}

export interface Visitor {
  readonly context: BrowserContext;
  end(isGood: boolean): Promise<void>;
}

/** How long a page may take on a busy machine. */
export const waitMilliseconds = 90_000;
const wide: ViewportSize = { width: 1280, height: 900 };
/** How many contexts of each kind are kept. Others are closed. */
const keptMax = 3;
const kept = new Map<string, KeptVisitor[]>();

export async function takeVisitor(
  surroundings: Surroundings,
  { viewport, colorScheme, forcedColors, fetchesEarly, ...kind }: VisitorOptions = {},
): Promise<Visitor & { readonly page: Page }> {
  const name = JSON.stringify([surroundings.address, surroundings.elsewhere, kind]);
  const atRest = kept.get(name) ?? [];
  if (!kept.has(name)) kept.set(name, atRest);
  let visitor = atRest.pop();
  while (visitor?.page.isClosed()) visitor = atRest.pop();
  visitor ??= await startVisitor(surroundings, kind);
  await visitor.begin(surroundings, fetchesEarly);
  const { context, page, rest } = visitor;
  const size = viewport ?? wide;
  if (!isSame(page.viewportSize(), size)) await page.setViewportSize(size);
  await page.emulateMedia({
    media: null,
    reducedMotion: 'reduce',
    colorScheme: colorScheme ?? 'light',
    forcedColors: forcedColors ?? 'none',
  });
  return {
    context,
    page,
    async end(isGood) {
      if (isGood && atRest.length < keptMax && (await rest())) atRest.push(visitor);
      else await context.close();
    },
  };
}

interface KeptVisitor {
  readonly context: BrowserContext;
  readonly page: Page;
  begin(surroundings: Surroundings, fetchesEarly?: boolean): Promise<void>;
  rest(): Promise<boolean>;
}

async function startVisitor(surroundings: Surroundings, kind: BrowserContextOptions): Promise<KeptVisitor> {
  const context = await makeContext(surroundings.browser, surroundings.address, kind);
  let report: Surroundings['report'] | null = null;
  watch(
    context,
    surroundings,
    (problem) => report?.(problem),
    () => report === null,
  );
  const page = await context.newPage();
  const added: Disposable[] = [];
  const addInitScript = page.addInitScript.bind(page);
  page.addInitScript = async (...script: Parameters<typeof addInitScript>) => {
    const one = await addInitScript(...script);
    added.push(one);
    return one;
  };

  async function forget(): Promise<void> {
    const others = context.pages().filter((one) => one !== page);
    await Promise.all(others.map((one) => one.close()));
    page.removeAllListeners();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    for (const script of added.splice(0)) await script.dispose();
    // This page is of the same site, so the process keeps its compiled scripts. It runs no script itself.
    await page.goto('/icon.svg');
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await context.clearCookies();
    await page.mouse.move(0, 0);
  }

  return {
    context,
    page,
    async begin(surroundings, fetchesEarly) {
      report = surroundings.report;
      added.push(await addScript(context, surroundings, fetchesEarly));
    },
    async rest() {
      report = null;
      return forget().then(
        () => true,
        () => false,
      );
    },
  };
}

async function makeContext(
  browser: Browser,
  address: string,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  return patientContext(browser, {
    baseURL: address,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    viewport: wide,
    reducedMotion: 'reduce',
    ...options,
  });
}

/** A new context that waits as long as a busy machine takes. */
export async function patientContext(
  browser: Browser,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(waitMilliseconds);
  context.setDefaultNavigationTimeout(waitMilliseconds);
  return context;
}

/** Ignores what happens after its test. */
function watch(
  visitor: BrowserContext,
  { address, elsewhere }: Pick<Surroundings, 'address' | 'elsewhere'>,
  report: (problem: string) => void,
  isOver = () => false,
): void {
  const { origin } = new URL(address);
  const allowed = [origin, ...(elsewhere === null ? [] : [new URL(elsewhere).origin])];
  visitor.on('weberror', (error) => report(`script error: ${error.error().stack}`));
  visitor.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // The browser logs every refusal, although a refusal is an ordinary answer.
    const isRefusal = /^Failed to load resource: the server responded with a status of 4\d\d/.test(
      message.text(),
    );
    if (!isRefusal) report(`console: ${message.text()} (${message.location().url})`);
  });
  visitor.on('dialog', (alert) => {
    report(`alert: ${alert.message()}`);
    // At the end of a test, unsaved input may be lost.
    void (isOver() ? alert.accept() : alert.dismiss());
  });
  visitor.on('request', (request) => {
    const url = new URL(request.url());
    if (!allowed.includes(url.origin) && !['data:', 'about:'].includes(url.protocol))
      report(`request to ${url.origin}`);
  });
  visitor.on('response', (response) => {
    if (response.status() >= 500) report(`${response.status()} from ${response.url()}`);
  });
}

function addScript(
  context: BrowserContext,
  { aheadMilliseconds }: Surroundings,
  fetchesEarly = false,
): Promise<Disposable> {
  return context.addInitScript(beforehand, { aheadMilliseconds, fetchesEarly });
}

function beforehand({
  aheadMilliseconds,
  fetchesEarly,
}: {
  aheadMilliseconds: number;
  fetchesEarly: boolean;
}): void {
  // The test's clock stands still in its own year. The page's clock runs on from there.
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...parts: unknown[]) {
      // @ts-expect-error the parts have the caller's types
      super(...(parts.length === 0 ? [RealDate.now() + aheadMilliseconds] : parts));
    }
    static override now(): number {
      return RealDate.now() + aheadMilliseconds;
    }
  } as DateConstructor;
  // Toasts disappear after seconds, so record every added text for `said`.
  const texts: string[] = [];
  Object.assign(globalThis, { addedTexts: texts });
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const { textContent } of addedNodes) texts.push(textContent ?? '');
  }).observe(document, { subtree: true, childList: true });
  if (!fetchesEarly) globalThis.requestIdleCallback = () => 0;
}

function isSame(one: ViewportSize | null, other: ViewportSize): boolean {
  return one?.width === other.width && one.height === other.height;
}
