// Where the pages' sentences are gathered: `npm run texts`. Three catalogs: what lists and their shell say, what is said on
// pages and in dialogs that are opened now and then, and the console's, which a reseller never loads. A module of the
// second or the third is imported dynamically, behind `withTexts` (router.tsx); test/unit/text-areas.test.ts holds that.

import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';
import { consoleSources, seldomSources } from './text-areas.ts';

const seldom = seldomSources.map((path) => `src/${path}`);
const ofConsole = consoleSources.map((path) => `src/${path}`);

export default defineConfig({
  sourceLocale: 'en',
  // English has no files: english-catalogs.ts reads it from the others.
  locales: ['de'],
  catalogs: [
    { path: '<rootDir>/src/locales/{locale}/panel', include: ['src'], exclude: [...seldom, ...ofConsole] },
    { path: '<rootDir>/src/locales/{locale}/seldom', include: seldom },
    { path: '<rootDir>/src/locales/{locale}/console', include: ofConsole },
  ],
  // Sources import the macros; this is what they become.
  runtimeConfigModule: { Trans: ['/src/text/safe-trans.tsx', 'Trans'] },
  format: formatter({ origins: false, lineNumbers: false }),
  orderBy: 'message',
});
