// The page that sets how long data is kept: it refuses what cannot be, and warns before a shorter time deletes data.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPassword } from '../harness/panel-client.ts';
import { expectStatus } from '../harness/refusals.ts';
import { expectAccessible } from './accessibility.ts';
import { confirmWithPassword, dialog, heading } from './panel-actions.ts';
import { untilCount, untilDisabled, untilTrue, untilValue, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('the operator shortens what is kept, after a warning that says from when on data goes', async () => {
  const page = await panel.openAs(panel.service.admin, '/panel/admin/retention');
  await heading(page, 'Retention').waitFor();
  const field = (name: string) => page.getByRole('textbox', { name });
  const save = page.getByRole('button', { name: 'Save' });
  const warning = page.getByText('Saving deletes older data within an hour.');
  await untilValue(field('Request log'), '7');
  await untilValue(field('Customers of closed accounts'), '');
  await untilDisabled(save);

  await field('Events').fill('13');
  await page.getByText('Enter a whole number from 14 to 3,650.').waitFor();
  await untilDisabled(save);
  await field('Events').fill('120');
  await untilCount(warning, 0, 'no warning for a longer time');
  await field('Request log').fill('3');
  await field('IP addresses in the audit log').fill('180');
  await warning.waitFor();
  await page.getByText(/^Requests before /).waitFor();
  await page.getByText(/^IP addresses in the audit log before /).waitFor();
  await untilCount(page.getByText(/^Events before /), 0);
  await expectAccessible(page, 'the retention page with a warning');

  await save.click();
  await confirmWithPassword(dialog(page, 'Confirm with your password'), testPassword, 'Save');
  await page.getByRole('heading', { name: 'Saved.', exact: true }).waitFor();
  await untilCount(warning, 0);
  const { retention } = expectStatus(await panel.service.admin.get('/api/admin/v1/retention'), 200);
  assert.deepEqual(retention, {
    ...{ request_log_days: 3, event_days: 120, mail_days: 30 },
    ...{ audit_address_days: 180, closed_account_days: null },
  });
  await field('IP addresses in the audit log').fill('');
  await save.click();
  const isForgotten = async () => {
    const { retention: now } = expectStatus(await panel.service.admin.get('/api/admin/v1/retention'), 200);
    return now.audit_address_days === null;
  };
  await untilTrue(isForgotten, 'addresses are kept again');
});
