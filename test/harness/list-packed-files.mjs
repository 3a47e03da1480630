// node list-packed-files.mjs <npm-cli.js> <folder>: prints, a line each, what `npm pack` puts into the package of a folder, by
// the modules with which npm itself finds it. Packing computes three times as much. Called by test/tools/package.test.ts.

import { createRequire } from 'node:module';

const [npmCli, path] = process.argv.slice(2);
const fromNpm = createRequire(npmCli);
const Arborist = fromNpm('@npmcli/arborist');
const listFiles = fromNpm('npm-packlist');
const tree = await new Arborist({ path }).loadActual();
process.stdout.write((await listFiles(tree)).join('\n'));
