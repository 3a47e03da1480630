// Builds the English catalogs of the pages from the German ones: `de/panel.po?english` yields each English sentence of
// `de/panel.po`. The German catalogs contain every sentence (scripts/check-texts.ts), so English needs no files of its own.

import { relative } from 'node:path';
import { createCompiledCatalog, getCatalogForFile, getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import type { Plugin } from 'vite';

const ending = '?english';

export function englishCatalogs(): Plugin {
  const config = getConfig({ cwd: import.meta.dirname });
  return {
    name: 'english-catalogs',
    enforce: 'pre',
    load: {
      filter: { id: /\.po\?english$/ },
      async handler(id) {
        const file = id.slice(0, -ending.length);
        const found = getCatalogForFile(relative(config.rootDir, file), await getCatalogs(config));
        const kept = await found?.catalog.read(found.locale);
        if (!kept) throw new Error(`${file} is no catalog.`);
        this.addWatchFile(file);
        const sentences = Object.entries(kept).map(([id, { message = '' }]) => [id, message]);
        const { source, errors } = createCompiledCatalog(config.sourceLocale, Object.fromEntries(sentences), {
          namespace: 'es',
        });
        if (errors.length > 0)
          throw new Error(`${file} has English that is no ICU message.`, { cause: errors });
        return { code: source, moduleType: 'js' };
      },
    },
  };
}
