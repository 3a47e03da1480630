// Builds the panel and the console into web/dist, then the pages before the sign-in (entry-build.ts); the service serves
// them under /panel/. Its content security policy forbids inline code except what stands in the pages' heads, so the build
// makes no data: URLs and no module preload script. `npm run dev --workspace web` serves the sources and proxies /panel/api
// to the service at SERVICE (default http://127.0.0.1:3000).

import { defineConfig, loadEnv, type Plugin } from 'vite';
import { base, buildOptions, pagePlugins, textsChunk } from './build-plugins.ts';
import { buildEntry } from './entry-build.ts';

export default defineConfig(({ mode }) => ({
  base,
  plugins: [pagePlugins('start.tsx'), entryPages()],
  build: {
    ...buildOptions,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            textsChunk,
            {
              name: 'react',
              test: /node_modules\/(?:@tanstack|react|react-dom|scheduler|use-sync-external-store)\//,
              priority: 2,
            },
            // What is around every page: the icons of the navigation and small modules.
            {
              name: 'frame',
              test: /lucide-react\/.*\/icons\/(?:activity|archive|book-open|calendar-clock|chart-no-axes-column|circle-exclamation-point|credit-card|eye|heart-pulse|key-round|layout-dashboard|lock-keyhole|package|palette|plug-zap|receipt-text|rss|scroll-text|shield-check|shopping-bag|user-round-cog|users|users-round|wallet|webhook)\.m?js|web\/src\/(?:features\/(?:auth\/leave|brand\/logo|orders\/(?:open-order|place-order-button))|shell\/(?:page-list|shortcuts)|ui\/(?:choice|dialog-opener|keys|not-for-role|notice|page-links|switch-field|theme|typed-ahead|window-title))\.tsx?$/,
              priority: 1,
            },
            // What the overviews have besides that.
            {
              name: 'figures',
              test: /web\/src\/(?:features\/(?:ledger\/(?:series-card|spending-card)|payments\/funds-parts)|text\/plan-time|ui\/(?:bar-chart|canvas-chart|chart-drawing|figures|stat))\.tsx?$|lucide-react\/.*\/icons\/(?:calendar-check|circle-dashed|package-open)\.m?js/,
              priority: 1,
            },
            // Small modules used by nearly every page. As separate files they would take more requests and compress worse.
            {
              name: 'parts',
              test: /lucide-react|web\/src\/(?:api\/(?!commands|console-queries|payment-|renewal-queries|use-command)|text\/(?!plan-time|renewal-words|typed-minutes))|web\/src\/ui\/(?!action-menu|body-box|file-button|notice\.|page-problem|.*(?:actions|confirmed-command|copied|dialog|drawer|figures|toast-region|chart|series|qr|choice|ruled-price|facts|lost-answer|own-password|page-links|secret-text|stat\.|switch-field|typed-text|unsaved-guard|use-text))/,
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

/** Builds the pages before the sign-in behind the panel, whose files they fetch early. In development, serves them. */
function entryPages(): Plugin {
  return {
    name: 'entry-pages',
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler({ dir = 'dist' }, bundle) {
        const chunks = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [file] : []));
        const isFirst = (id = '') => /\/(?:index\.html|start\.tsx|overview-page\.tsx)$/.test(id);
        const first = chunks.filter(({ facadeModuleId }) => isFirst(facadeModuleId ?? undefined));
        await buildEntry(dir, [...new Set(first.flatMap(({ fileName, imports }) => [fileName, ...imports]))]);
      },
    },
    configureServer({ middlewares }) {
      middlewares.use((request, _response, next) => {
        if (/^\/panel\/(?:sign-in|reset-password)\b/.test(request.url ?? ''))
          request.url = `${base}entry.html`;
        next();
      });
    },
  };
}
