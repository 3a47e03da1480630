// node list-packed-files.mjs <npm-cli.js> <folder>: prints the files that `npm pack` would include. Uses npm's own modules,
// because packing takes three times the CPU. Called by test/tools/package.test.ts.

import { createRequire } from 'node:module';

const [npmCli, path] = process.argv.slice(2);
const fromNpm = createRequire(npmCli);
const Arborist = fromNpm('@npmcli/arborist');
const listFiles = fromNpm('npm-packlist');
const tree = await new Arborist({ path }).loadActual();
process.stdout.write((await listFiles(tree)).join('\n'));
