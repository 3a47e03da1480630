// Builds the pages before the sign-in (src/entry.tsx) into web/dist, beside the panel. They are the panel's own components on
// Preact, because React alone is larger than these pages may be (docs/decisions/0083-light-sign-in.md).

import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';
import { base, buildOptions, pagePlugins, textsChunk } from './build-plugins.ts';

/** Into the panel's folder. `panelFiles` are fetched while the person types. */
export async function buildEntry(outDir: string, panelFiles: readonly string[]): Promise<void> {
  await build({
    configFile: false,
    root: import.meta.dirname,
    base,
    logLevel: 'warn',
    plugins: [pagePlugins('start-entry.tsx'), namesPanelFiles(panelFiles)],
    resolve: {
      alias: [
        { find: /^react(?:-dom)?$/, replacement: 'preact/compat' },
        { find: 'react-dom/client', replacement: 'preact/compat/client' },
        { find: /^react\/jsx-(?:dev-)?runtime$/, replacement: 'preact/jsx-runtime' },
      ],
    },
    build: {
      ...buildOptions,
      outDir,
      emptyOutDir: false,
      copyPublicDir: false,
      rolldownOptions: {
        input: fileURLToPath(new URL('entry.html', import.meta.url)),
        output: { codeSplitting: { groups: [textsChunk] } },
      },
    },
  });
}

function namesPanelFiles(files: readonly string[]): Plugin {
  return {
    name: 'names-panel-files',
    transformIndexHtml: () => [
      { tag: 'meta', attrs: { name: 'panel-files', content: files.join(' ') }, injectTo: 'head' },
    ],
  };
}
