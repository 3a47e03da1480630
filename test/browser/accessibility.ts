// Runs axe on a page: all rules of WCAG 2.2 A and AA, and axe's best practices.

/// <reference lib="dom" />
import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export async function expectAccessible(page: Page, what: string, except?: string): Promise<void> {
  // Load axe once per document, because parsing it takes longer than running it.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(`${axe.source}; ${holdStill}`);
  await page.evaluate(twoFrames);
  const found = await page.evaluate(judge, { tags, except: except ?? null });
  assert.deepEqual(found, [], what);
}

/** Contrast cannot be judged during transitions. The page's policy allows style sheets made by scripts. */
const holdStill = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}`;

/** After a change of theme or width, waits for the next frame, or the one after if the page was busy. */
const twoFrames = 'new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))';

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
