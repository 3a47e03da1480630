// What another site's page can send with its visitor's cookies, and what a reseller can reach of the console.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Page, Response } from 'playwright-core';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';
import { panelRoutes, type Route } from '../harness/route-list.ts';
import { goInPlace, heading } from './panel-actions.ts';
import { usePanelBrowser } from './panel-browser.ts';

let reseller: TestAccount;
let routes: readonly Route[];
/** Another port is another origin, but the same site by the rules for cookies. */
let otherSite: Server | undefined;
let otherPort: number;
const panel = usePanelBrowser(async (service) => {
  reseller = await service.createReseller({ credit: '100.00' });
  routes = await panelRoutes(service.address);
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Another site</title><h1>Another site</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  otherSite = server;
  otherPort = (server.address() as AddressInfo).port;
});
after(() => otherSite?.close());

const isGate = process.env['TEST_GATE'] === '1';
const isUnsafe = ({ method }: Route) => method !== 'GET' && method !== 'HEAD';

test('a page of another origin cannot make its visitor’s browser change anything: forms and scripts are refused', async () => {
  const { service } = panel;
  const victims = [await panel.openAs(reseller), await panel.openAs(service.admin)];
  const posts = chosenPosts();
  const before = await factsOf(service);
  for (const [place, page] of victims.entries()) {
    await heading(page, /^(Overview|Business)$/).waitFor();
    // Other hosts get no cookies, so one victim is enough for them.
    for (const host of place === 0 ? ['127.0.0.1', 'localhost'] : ['127.0.0.1']) {
      const foreign = await page.context().newPage();
      await foreign.goto(`http://${host}:${otherPort}/`);
      const urls = posts.map(({ path }) => service.address + path);
      for (const send of [sendForms, sendFetches]) {
        for (const response of await answersTo(foreign, urls, send)) {
          const url = response.url();
          assert.equal(response.status(), 403, `${send.name} at ${host}: ${url}`);
          if (send !== sendForms) continue;
          // Cookies ignore the port, so they are sent if the host is the same.
          const { cookie = '' } = await response.request().allHeaders();
          assert.equal(cookie.includes('sellthrough='), host === '127.0.0.1', `${url} at ${host}`);
        }
      }
      // Other methods need a preflight request, which is refused.
      const others = routes.filter((route) => isUnsafe(route) && route.method !== 'POST');
      const answers = await foreign.evaluate<string[]>(
        `Promise.all(${JSON.stringify(others)}.map(({ method, path }) =>
          fetch(${JSON.stringify(service.address)} + path, { method, credentials: 'include', body: '{}' })
            .then(({ status }) => method + ' ' + path + ' ' + status, () => 'stopped by the browser')))`,
      );
      assert.deepEqual(new Set(answers), new Set(['stopped by the browser']));
      const read = await foreign.evaluate<string>(
        `fetch(${JSON.stringify(`${service.address}/panel/api/me`)}, { credentials: 'include' })
          .then((answer) => answer.text(), () => 'stopped by the browser')`,
      );
      assert.equal(read, 'stopped by the browser');
      await foreign.close();
    }
    await page.reload();
    await heading(page, /^(Overview|Business)$/).waitFor();
  }
  assert.deepEqual(await factsOf(service), before);
  for (const problem of panel.takeProblems()) {
    assert.match(
      problem,
      /^request to http:\/\/(?:127\.0\.0\.1|localhost):\d+$|CORS policy|net::ERR_FAILED|frame-ancestors 'none'/,
    );
  }
});

test('a reseller’s own page gets nothing out of any route of the console, nor sees a page of it', async () => {
  const page = await panel.openAs(reseller);
  await heading(page, /^(Overview|Business)$/).waitFor();
  const guarded = routes.filter(({ path }) => path.startsWith('/panel/api/admin/'));
  assert.ok(guarded.length > 20, `${guarded.length} routes`);
  const answers = await page.evaluate<string[]>(
    `Promise.all(${JSON.stringify(guarded)}.map(async ({ method, path }) => {
      const answer = await fetch(path, { method, ...(method !== 'GET' && { body: '{}' }) });
      return method + ' ' + path + ' ' + answer.status + ' ' + (await answer.json()).error?.code;
    }))`,
  );
  assert.deepEqual(
    answers,
    guarded.map(({ method, path }) => `${method} ${path} 403 forbidden`),
  );
  assert.equal(await page.locator('a[href^="/panel/admin"]').count(), 0);
  for (const path of ['', `/accounts/${panel.service.admin.id}`, '/health']) {
    await goInPlace(page, `/panel/admin${path}`);
    await heading(page, 'Not found').waitFor();
    await goInPlace(page, '/panel/');
    await heading(page, /^(Overview|Business)$/).waitFor();
  }
});

/** The gate takes about every eighth route here, because panel-doors.test.ts sends the headers of other sites to all. */
function chosenPosts(): readonly Route[] {
  const posts = routes.filter(({ method }) => method === 'POST');
  assert.ok(posts.length > 40, `${posts.length} routes take a POST`);
  const always = ['/panel/api/v1/orders', '/panel/api/sign-out'];
  assert.equal(posts.filter(({ path }) => always.includes(path)).length, always.length);
  return posts.filter(({ path }, index) => !isGate || index % 8 === 0 || always.includes(path));
}

/** Everything that an attack could change. The audit log counts all changes. */
async function factsOf({ admin }: TestService): Promise<unknown> {
  const accounts = await admin.get('/api/admin/v1/accounts?limit=100');
  const audit = await admin.get('/api/admin/v1/audit?limit=1');
  return { accounts: accounts.body.data, changes: audit.body.total };
}

async function answersTo(
  page: Page,
  urls: readonly string[],
  send: (urls: readonly string[]) => string,
): Promise<readonly Response[]> {
  const answers = urls.map((url) =>
    page.waitForResponse((response) => response.url() === url && response.request().method() === 'POST'),
  );
  const [all] = await Promise.all([Promise.all(answers), page.evaluate(send(urls))]);
  return all;
}

/** Each form has its own frame, because a frame that is still receiving an answer would drop the next form. */
function sendForms(urls: readonly string[]): string {
  return `for (const action of ${JSON.stringify(urls)}) {
    const frame = Object.assign(document.createElement('iframe'), { name: 'frame of ' + action });
    const form = Object.assign(document.createElement('form'), {
      method: 'post', action, enctype: 'text/plain', target: frame.name,
    });
    form.append(Object.assign(document.createElement('input'), { name: '{"a":"', value: '"}' }));
    document.body.append(frame, form);
    form.submit();
  }`;
}

function sendFetches(urls: readonly string[]): string {
  return `Promise.all(${JSON.stringify(urls)}.map((url) =>
    fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).catch(() => undefined)))`;
}
