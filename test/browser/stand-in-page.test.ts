// The hosted page of the stand-in for Stripe in a real browser: what it shows, by keyboard, in two languages and themes.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openCheckout, useStandIn } from '../harness/stand-in-scene.ts';
import { expectAccessible } from './accessibility.ts';
import { leaveChromium, sharedChromium } from './panel-browser.ts';
import { patientContext } from './visitors.ts';

const scene = useStandIn({ shopName: 'Nordlicht & <Co>' });
const contexts = new Set<BrowserContext>();
let browser: Browser | undefined;
before(async () => {
  browser = await sharedChromium();
});
afterEach(async () => {
  for (const context of contexts) await context.close();
  contexts.clear();
});
after(() => browser && leaveChromium(browser));

/** The browser's visits to the shop end at the stand-in's own 404. */
async function open(address: string | null, options: BrowserContextOptions = {}): Promise<Page> {
  assert.ok(browser);
  const context = await patientContext(browser, options);
  contexts.add(context);
  const page = await context.newPage();
  await page.goto(String(address));
  return page;
}

function checkout(mode: 'payment' | 'setup' = 'payment') {
  const { stripe, standIn } = scene;
  const back = {
    success_url: `${standIn.url}/shop/paid?session={CHECKOUT_SESSION_ID}`,
    cancel_url: `${standIn.url}/shop/topups`,
  };
  if (mode === 'setup') return stripe.checkout.sessions.create({ mode, currency: 'eur', ...back });
  return openCheckout(stripe, 123_450, back);
}

for (const [title, options, texts, tag] of [
  [
    'English and light',
    { locale: 'en-US', colorScheme: 'light' },
    ['Pay Nordlicht & <Co>', '€1,234.50', 'No money moves', 'Pay and dispute', 'Cancel'],
    '',
  ],
  [
    'German and dark',
    { locale: 'de-DE', colorScheme: 'dark' },
    [
      'Zahlung an Nordlicht & <Co>',
      '1.234,50 €',
      'Es fließt kein Geld',
      'Bezahlen und anfechten',
      'Abbrechen',
    ],
    ' @nightly',
  ],
] as const) {
  test(`the page in ${title} says whom, how much, and that it is a stand-in, and passes axe`, async () => {
    const page = await open((await checkout()).url, options);
    const shown = (await page.locator('main').innerText()).replaceAll('\u00a0', ' ');
    for (const text of texts) assert.ok(shown.includes(text), `${text} in ${shown}`);
    await expectAccessible(page, title);
  });

  test(`on a phone, the pages in ${title} fit before and after the press, and pass axe${tag}`, async () => {
    const page = await open('about:blank', options);
    await page.setViewportSize({ width: 320, height: 640 });
    for (const mode of ['payment', 'setup'] as const) {
      const { url } = await checkout(mode);
      await page.goto(String(url));
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      assert.equal(isWide, false, `${mode} fits a phone`);
      await expectAccessible(page, `${mode}, ${title}`);
      await page.getByRole('button').first().click();
      await page.waitForURL('**/shop/paid?*');
      await page.goto(String(url));
      await page.getByRole('link').waitFor();
      await expectAccessible(page, `${mode} after the press, ${title}`);
    }
  });
}

test('a session that names its language is shown in it', async () => {
  const { url } = await openCheckout(scene.stripe, 500, { locale: 'de' });
  const page = await open(url, { locale: 'en-US' });
  await page.getByRole('button', { name: 'Bezahlen', exact: true }).waitFor();
});

test('the keyboard alone pays', async () => {
  const session = await checkout();
  const page = await open(session.url);
  await page.keyboard.press('Tab');
  assert.equal(await page.locator(':focus').innerText(), 'Pay');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/shop/paid?session=${session.id}`);
  assert.equal((await scene.stripe.checkout.sessions.retrieve(session.id)).payment_status, 'paid');
});

test('a declined card is announced, and the visitor can go back to the shop', async () => {
  const page = await open((await checkout()).url);
  await page.getByRole('button', { name: 'Fail', exact: true }).click();
  assert.match(await page.getByRole('alert').innerText(), /declined/);
  await expectAccessible(page, 'declined');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.waitForURL('**/shop/topups');
});
