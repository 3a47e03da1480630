// Builds the panel and the console into web/dist; the service serves them under /panel/. Its content security policy
// forbids inline code except the shell in index.html, so the build makes no data: URLs and no module preload script. `npm
// run dev --workspace web` serves the sources and proxies /panel/api to the service at SERVICE (default
// http://127.0.0.1:3000).

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { lingui } from '@lingui/vite-plugin';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv, type Plugin } from 'vite';
import { englishCatalogs } from './english-catalogs.ts';

export default defineConfig(({ mode }) => ({
  base: '/panel/',
  plugins: [
    lingui({ cwd: import.meta.dirname, macroTransform: true, failOnCompileError: true }),
    englishCatalogs(),
    react(),
    tailwindcss(),
    shellFirst(),
    compressed(),
  ],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // This chunk runs before the texts are loaded, so it must not contain modules that use texts.
            {
              name: 'texts',
              test: /@lingui\/core|node_modules\/react\/|web\/src\/text\/(?:texts|language)\.ts/,
              priority: 3,
            },
            {
              name: 'react',
              test: /node_modules\/(?:@tanstack|react|react-dom|scheduler|use-sync-external-store)\//,
              priority: 2,
            },
            // What is around every page: the icons of the navigation and small modules.
            {
              name: 'frame',
              test: /lucide-react\/.*\/icons\/(?:activity|archive|ban|book-open|calendar-clock|chart-no-axes-column|circle-exclamation-point|credit-card|eye|heart-pulse|key-round|keyboard|layout-dashboard|lock-keyhole|log-out|package|palette|plug-zap|receipt-text|rss|scroll-text|shield-check|shopping-bag|user-round-cog|users|users-round|wallet|webhook)\.m?js|web\/src\/(?:features\/(?:auth\/leave|brand\/logo|orders\/open-order)|shell\/(?:page-list|shortcuts)|ui\/(?:dialog-opener|keys|language-choice|not-for-role|switch-field|theme|theme-choice|typed-ahead))\.tsx?$/,
              priority: 1,
            },
            // What the overviews have besides that.
            {
              name: 'figures',
              test: /web\/src\/(?:features\/(?:ledger\/(?:series-card|spending-card)|orders\/place-order-button|payments\/funds-parts)|text\/plan-time|ui\/(?:bar-chart|choice|figures|notice|page-links|stat|use-chart))\.tsx?$|lucide-react\/.*\/icons\/(?:calendar-check|circle-dashed|package-open)\.m?js/,
              priority: 1,
            },
            // Small modules used by nearly every page. As separate files they would take more requests and compress worse.
            {
              name: 'parts',
              test: /lucide-react|web\/src\/(?:api\/(?!commands|payment-|use-command)|text\/(?!plan-time|typed-minutes))|web\/src\/ui\/(?!file-button|notice\.|page-problem|.*(?:actions|confirmed-command|copied|dialog|drawer|figures|toast-region|chart|series|qr|choice|ruled-price|facts|lost-answer|own-password|page-links|secret-text|stat\.|switch-field|typed-text|unsaved-guard|use-text))/,
              minShareCount: 6,
            },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      '/panel/api': { target: loadEnv(mode, '.', 'SERVICE')['SERVICE'] ?? 'http://127.0.0.1:3000' },
    },
  },
}));

/**
 * Lets the browser show the shell of index.html at once: moves the stylesheet behind the shell, so that it does not block
 * rendering, and preloads the files of start.tsx in parallel with the texts.
 */
function shellFirst(): Plugin {
  return {
    name: 'shell-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [file] : []));
        const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/start.tsx'));
        if (start === undefined) throw new Error('There is no chunk of start.tsx.');
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
