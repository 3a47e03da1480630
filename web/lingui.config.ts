// Configures `npm run texts`, which extracts the pages' sentences into four catalogs: lists and the page frame, the pages
// before the sign-in, pages and dialogs that are rarely opened, and the console, which resellers never load. Modules of the last two must be imported
// dynamically through `withTexts` (router.tsx); test/unit/text-areas.test.ts checks this.

import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';
import { consoleSources, entrySources, seldomSources } from './text-areas.ts';

const entry = entrySources.map((path) => `src/${path}`);
const seldom = seldomSources.map((path) => `src/${path}`);
const ofConsole = consoleSources.map((path) => `src/${path}`);

export default defineConfig({
  sourceLocale: 'en',
  // English has no files: english-catalogs.ts derives it from the German ones.
  locales: ['de'],
  catalogs: [
    {
      path: '<rootDir>/src/locales/{locale}/panel',
      include: ['src'],
      exclude: [...entry, ...seldom, ...ofConsole],
    },
    { path: '<rootDir>/src/locales/{locale}/entry', include: entry },
    { path: '<rootDir>/src/locales/{locale}/seldom', include: seldom },
    { path: '<rootDir>/src/locales/{locale}/console', include: ofConsole },
  ],
  // Sources import Lingui's macros; the macro compiler replaces `Trans` by this import.
  runtimeConfigModule: { Trans: ['/src/text/safe-trans.tsx', 'Trans'] },
  format: formatter({ origins: false, lineNumbers: false }),
  orderBy: 'message',
});
