// Builds what `npm pack` ships (dist/): Node strips the types of sources in a checkout, but refuses to below
// node_modules, so a package must hold JavaScript. Called by prepare.mjs before `npm pack`, on the Node it chose.
// Always true: dist/ mirrors the checkout, so that every relative path means the same in both; types are blanked
// out, not compiled away, so that what runs is what was tested and a stack trace names the line of the source.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** What the program reads at run time beside its modules. Left out where it does not exist. */
const readAtRunTime = ['src/**/*.sql', 'src/**/*.lua', 'web/dist/**/*', 'docs/dist/**/*', 'openapi.json'];

// Relative paths to a source, in an import or in `new URL('./worker.ts', import.meta.url)`.
const pathOfSource = /(['"])(\.\.?\/[^'"\n]+)\.ts\1/g;

// stripTypeScriptTypes still says that it may change.
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
