// The steps of everyday tasks on the pages, with their clicks and keys counted.

import type { Locator, Page } from 'playwright-core';

/** Waiting and reading do not count. */
export class Hand {
  clicks = 0;
  keys = 0;

  async click(place: Locator): Promise<void> {
    await place.click();
    this.clicks += 1;
  }

  async choose(list: Locator, option: string): Promise<void> {
    await list.selectOption(option);
    this.clicks += 2;
  }

  async press(place: Page, key: string): Promise<void> {
    await place.keyboard.press(key);
    this.keys += 1;
  }

  async type(place: Page, text: string): Promise<void> {
    await place.keyboard.type(text);
    this.keys += text.length;
  }
}

export interface DailyTask {
  readonly name: string;
  readonly role: 'reseller' | 'administrator';
  readonly clicksMax: number;
  readonly secondsMax?: number;
  readonly steps: (hand: Hand, page: Page, reseller: string) => Promise<string>;
}

export const dailyTasks: readonly DailyTask[] = [
  {
    name: 'spending by package and kind',
    role: 'reseller',
    clicksMax: 1,
    steps: async (hand, page) => {
      const packages = page.getByRole('table', { name: 'Spending by package' });
      const first = packages.getByRole('row').nth(1);
      await first.getByRole('link').waitFor();
      const seen = await first.innerText();
      await hand.click(page.getByText('Type', { exact: true }));
      await page.getByRole('table', { name: 'Spending by order type' }).getByRole('row').nth(1).waitFor();
      return seen;
    },
  },
  {
    name: 'why was it refused, down to the body',
    role: 'reseller',
    clicksMax: 3,
    steps: async (hand, page) => {
      await hand.click(pageLink(page, 'Requests'));
      await refusedOnes(hand, page);
      return bodyOfFirst(hand, page);
    },
  },
  {
    name: 'a reseller’s last refused request, as the operator',
    role: 'administrator',
    clicksMax: 4,
    steps: async (hand, page, reseller) => {
      const accounts = page.getByRole('table', { name: 'Accounts by spending' });
      await hand.click(accounts.getByRole('link', { name: reseller, exact: true }));
      await hand.click(page.getByRole('navigation', { name: 'Parts of the account' }).getByText('Requests'));
      await refusedOnes(hand, page);
      return bodyOfFirst(hand, page);
    },
  },
  {
    name: 'the same of any account, by the palette',
    role: 'administrator',
    clicksMax: 4,
    steps: async (hand, page, reseller) => {
      await hand.press(page, 'Control+k');
      await page.getByRole('dialog').getByRole('combobox').waitFor();
      await hand.type(page, reseller);
      await page.getByRole('option', { name: reseller, selected: true }).first().waitFor();
      await hand.press(page, 'Enter');
      await hand.click(page.getByRole('navigation', { name: 'Parts of the account' }).getByText('Requests'));
      await refusedOnes(hand, page);
      return bodyOfFirst(hand, page);
    },
  },
  {
    name: 'renew all plans that end this week',
    role: 'reseller',
    clicksMax: 6,
    secondsMax: 15,
    steps: async (hand, page) => {
      await hand.click(pageLink(page, 'Customers'));
      await hand.choose(page.getByRole('combobox', { name: 'Plan end' }), 'Ends in 7 days');
      await page.waitForURL(/ending=7/);
      await settled(page);
      await hand.click(page.getByRole('checkbox', { name: 'Select all on this page' }));
      const bar = page.getByRole('region', { name: 'Selected customers' });
      await hand.click(bar.getByRole('button', { name: /^Renew \d+ for/ }));
      const asked = page.getByRole('dialog', { name: /^Renew \d+ plans/ });
      await hand.click(asked.getByRole('button', { name: /^Renew \d+ for/ }));
      const results = page.getByRole('dialog', { name: 'Renewals' });
      // Every open dialog has a status region; the last one contains the result.
      await results.getByRole('button', { name: 'Close' }).nth(1).waitFor();
      return results.getByText(/^\d+ plans? renewed/).innerText();
    },
  },
];

function pageLink(page: Page, title: string): Locator {
  return page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: title, exact: true });
}

async function settled(page: Page): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.locator('table[aria-busy=false]').first().waitFor();
}

async function refusedOnes(hand: Hand, page: Page): Promise<void> {
  await hand.click(page.getByText('Refused', { exact: true }).first());
  await page.waitForURL(/status=4xx/);
  await settled(page);
}

async function bodyOfFirst(hand: Hand, page: Page): Promise<string> {
  const requests = page.getByRole('table', { name: 'Requests' });
  await hand.click(requests.getByRole('row').nth(1).getByRole('link'));
  const sent = page.getByRole('dialog').getByRole('region', { name: 'Request body' });
  await sent.waitFor();
  return sent.innerText();
}
