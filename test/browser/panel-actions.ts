// Actions on the panel's pages. They find elements by role and accessible name, so that changes of appearance break no test.

import type { Locator, Page } from 'playwright-core';

export async function typeSignIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Right after the sign-in, whose password is not asked for again. */
export async function choosePassword(page: Page, next: string): Promise<void> {
  await heading(page, 'Choose your password').waitFor();
  await page.getByLabel('New password', { exact: true }).fill(next);
  await page.getByLabel('Confirm new password').fill(next);
  await page.getByRole('button', { name: 'Set password' }).click();
}

export async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
}

export function heading(page: Page, name: string | RegExp): Locator {
  return page.getByRole('heading', { level: 1, name });
}

export async function goTo(page: Page, title: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: title, exact: true })
    .click();
  await heading(page, title).waitFor();
}

/** Opens the menu behind the person's name. */
export async function openUserMenu(page: Page, name = 'Settings and sign-out'): Promise<Locator> {
  await page.getByRole('button', { name }).filter({ visible: true }).click();
  return page.getByRole('group', { name });
}

export async function signOut(page: Page): Promise<void> {
  await (await openUserMenu(page)).getByRole('button', { name: 'Sign out' }).click();
}

/** Chooses one of the less common actions of a page. */
export async function chooseMore(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: title, exact: true }).click();
}

export async function goInPlace(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
}

/** Toasts have the role dialog too, so this needs the title. */
export function dialog(page: Page, title: string | RegExp): Locator {
  return page.getByRole('dialog', { name: title });
}

export async function confirmWithPassword(box: Locator, password: string, action: string): Promise<void> {
  await box.getByLabel('Your password').fill(password);
  await box.getByRole('button', { name: action, exact: true }).click();
}

export function row(page: Page, text: string): Locator {
  return page.getByRole('row').filter({ hasText: text });
}

export function balance(page: Page): Locator {
  return page.getByRole('complementary', { name: 'Menu' }).getByRole('link', { name: /^Balance/ });
}

export async function prepareOrder(page: Page, customer: string, packageName: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Place an order' }).first().click();
  const box = dialog(page, 'Place an order');
  await box.getByRole('radio', { name: packageName }).check({ force: true });
  await box.getByLabel('Customer').fill(customer);
  const button = box.getByRole('button', { name: /^Place order for/ });
  await button.waitFor();
  return button;
}

export async function shownSecret(box: Locator, pattern: RegExp): Promise<string> {
  const shown = box.locator('code').filter({ hasText: pattern });
  await shown.waitFor();
  return (await shown.textContent()) ?? '';
}

/**
 * The service carries out the first request to `address`, but its answer is lost. The route stays: Playwright's `times` would
 * remove it, and a request at that moment may hang.
 */
export async function loseFirstAnswer(page: Page, address: string | RegExp): Promise<void> {
  let isLost = false;
  await page.route(address, async (route) => {
    if (isLost) return route.continue();
    isLost = true;
    await route.fetch();
    return route.abort();
  });
}
