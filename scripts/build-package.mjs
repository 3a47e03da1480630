// Builds what `npm pack` ships (dist/). Node strips types in a checkout but refuses to below node_modules, so a package
// must contain JavaScript. Called by prepare.mjs before `npm pack`.
// Invariant: dist/ mirrors the checkout, so relative paths stay valid. Types are replaced by blanks, so the tested code
// runs and stack traces show the lines of the sources.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** Files that the program reads at run time. Missing ones are skipped. */
const readAtRunTime = ['src/**/*.sql', 'src/**/*.lua', 'web/dist/**/*', 'docs/dist/**/*', 'openapi.json'];

// Relative source paths in imports and in `new URL('./worker.ts', import.meta.url)`.
const pathOfSource = /(['"])(\.\.?\/[^'"\n]+)\.ts\1/g;

// Suppresses the warning that stripTypeScriptTypes is experimental.
process.removeAllListeners('warning');
rmSync(dist, { recursive: true, force: true });
for (const path of globSync('{src,sdk/src}/**/*.ts', { cwd: root })) {
  const text = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'), { mode: 'strip' });
  put(path.replace(/\.ts$/, '.js'), text.replaceAll(pathOfSource, '$1$2.js$1'));
}
for (const pattern of readAtRunTime) {
  for (const entry of globSync(pattern, { cwd: root, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    mkdirSync(dirname(join(dist, path.slice(root.length))), { recursive: true });
    cpSync(path, join(dist, path.slice(root.length)));
  }
}

function put(path, text) {
  mkdirSync(dirname(join(dist, path)), { recursive: true });
  writeFileSync(join(dist, path), text);
}
