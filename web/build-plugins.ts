// Parts of both builds: of the panel (vite.config.ts), and of the pages before the sign-in (entry-build.ts).

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { lingui } from '@lingui/vite-plugin';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { BuildOptions, Plugin, PluginOption } from 'vite';
import { englishCatalogs } from './english-catalogs.ts';

export const base = '/panel/';

export const buildOptions = {
  target: 'es2023',
  assetsInlineLimit: 0,
  modulePreload: { polyfill: false },
} as const satisfies BuildOptions;

/** This chunk runs before the texts are loaded, so it must not contain modules that use texts. */
export const textsChunk = {
  name: 'texts',
  test: /@lingui\/core|node_modules\/react\/|web\/src\/text\/(?:texts|language)\.ts/,
  priority: 3,
};

/** `start` is the module that index.html's first script imports once the texts are there. */
export function pagePlugins(start: string): PluginOption[] {
  return [
    lingui({ cwd: import.meta.dirname, macroTransform: true, failOnCompileError: true }),
    englishCatalogs(),
    react(),
    tailwindcss(),
    themeFirst(),
    shellFirst(start),
    compressed(),
  ];
}

/** The chosen theme (src/ui/theme.ts) before anything is drawn. The service allows the script by its hash. */
const themeScript = `try {
  const theme = localStorage.getItem('sellthrough-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {}`;

function themeFirst(): Plugin {
  return {
    name: 'theme-first',
    transformIndexHtml: {
      order: 'post',
      handler: () => [{ tag: 'script', children: themeScript, injectTo: 'head-prepend' }],
    },
  };
}

/**
 * Lets the browser show the shell of index.html at once: moves the stylesheet behind the shell, so that it does not block
 * rendering, and preloads the files of the start module in parallel with the texts.
 */
function shellFirst(startModule: string): Plugin {
  return {
    name: 'shell-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [file] : []));
        const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${startModule}`));
        if (start === undefined) throw new Error(`There is no chunk of ${startModule}.`);
        const early = [start.fileName, ...start.imports]
          .map((file) => `    <link rel="modulepreload" crossorigin href="/panel/${file}">\n`)
          .filter((tag) => !html.includes(tag.trim()));
        const styles = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? [];
        if (styles.length === 0) throw new Error('There is no stylesheet to move.');
        const rest = styles.reduce((text, style) => text.replace(style, ''), html);
        return rest
          .replace('  </head>', `${early.join('')}  </head>`)
          .replace('    <noscript>', `${styles.join('')}    <noscript>`);
      },
    },
  };
}

const worthBytes = 1_024;

/** Writes file.js.br and file.js.gz at build time, so that the service does not compress on each request. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          const source = Buffer.from(file.type === 'chunk' ? file.code : file.source);
          if (!/\.(js|css)$/.test(file.fileName) || source.length < worthBytes) continue;
          for (const [ending, form] of [
            ['br', brotliCompressSync(source)],
            ['gz', gzipSync(source)],
          ] as const) {
            this.emitFile({ type: 'asset', fileName: `${file.fileName}.${ending}`, source: form });
          }
        }
      },
    },
  };
}
