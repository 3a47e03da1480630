// Builds the panel and the console into web/dist, which the service serves under /panel/ with a policy that
// takes nothing inline: no data: files, no module preload script. Beside each file stand its compressed forms.
// `npm run dev --workspace web` serves the sources and hands /panel/api to the service at SERVICE
// (http://127.0.0.1:3000).

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { lingui } from '@lingui/vite-plugin';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv, type Plugin } from 'vite';

export default defineConfig(({ mode }) => ({
  base: '/panel/',
  plugins: [
    lingui({ cwd: import.meta.dirname, macroTransform: true, failOnCompileError: true }),
    react(),
    tailwindcss(),
    compressed(),
  ],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      '/panel/api': { target: loadEnv(mode, '.', 'SERVICE')['SERVICE'] ?? 'http://127.0.0.1:3000' },
    },
  },
}));

const worthBytes = 1_024;

/** file.js.br and file.js.gz: made once here, not for each visitor. */
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
