// What axe says of a page: every rule of WCAG 2.2 A and AA and its own best practices.

/// <reference lib="dom" />
import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Asserts that nothing is wrong; what `except` finds is not looked at. */
export async function expectAccessible(page: Page, what: string, except?: string): Promise<void> {
  // Once for each document: read and compiled anew, it takes longer than its rules.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(`${axe.source}; ${holdStill}`);
  await page.evaluate(twoFrames);
  const found = await page.evaluate(judge, { tags, except: except ?? null });
  assert.deepEqual(found, [], what);
}

/**
 * Runs in the page: colours change at once, and not over some frames. Half-way there is no contrast to judge, and on a
 * busy machine nobody can tell when the way begins. A sheet that a script makes is none that the page's policy forbids.
 */
const holdStill = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}`;

/** A change of theme or width is drawn with the next frame, or, when the page was just at work on one, with the one after. */
const twoFrames = 'new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))';

/** Runs in the page. */
async function judge({
  tags,
  except,
}: {
  readonly tags: string[];
  readonly except: string | null;
}): Promise<readonly string[]> {
  const { run } = (globalThis as unknown as { axe: typeof axe }).axe;
  const context = except === null ? document : { exclude: [except] };
  const { violations } = await run(context, {
    runOnly: { type: 'tag', values: tags },
    resultTypes: ['violations'],
  });
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${help}: ${html} ${any.map(({ message }) => message).join('; ')}`),
  );
}
