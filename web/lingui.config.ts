// Where the pages' sentences are gathered: `npm run texts`. The console's are apart: a reseller never loads them.

import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';

export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de'],
  catalogs: [
    { path: '<rootDir>/src/locales/{locale}/panel', include: ['src'], exclude: ['src/console/**'] },
    { path: '<rootDir>/src/locales/{locale}/console', include: ['src/console'] },
  ],
  // Sources import the macros; this is what they become.
  runtimeConfigModule: { Trans: ['/src/text/safe-trans.tsx', 'Trans'] },
  format: formatter({ origins: false, lineNumbers: false }),
  orderBy: 'message',
});
