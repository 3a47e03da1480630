// Checks the spelling of comments, documents and texts (cspell.json). A step of `npm run check`; by hand
// `node scripts/check-spelling.ts`. Files of one kind become one document in which each line stands once: most of cspell's
// time goes to the settings of each file.

import { globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readSettings, spellCheckDocument } from 'cspell-lib';

const root = fileURLToPath(new URL('..', import.meta.url));
const configuration = join(root, 'cspell.json');
const {
  files,
  ignorePaths,
  patterns,
}: { files: string[]; ignorePaths: string[]; patterns: { name: string; pattern: string }[] } = JSON.parse(
  readFileSync(configuration, 'utf8'),
);

/** The first place of each line, by the ending of the files. */
const kinds = new Map<string, Map<string, { file: string; line: number }>>();
for (const file of globSync(files, { cwd: root, exclude: ignorePaths }).sort()) {
  const kind = extname(file);
  const lines = kinds.get(kind) ?? new Map();
  kinds.set(kind, lines);
  for (const { text, line } of linesToCheck(kind, readFileSync(join(root, file), 'utf8')))
    if (!lines.has(text)) lines.set(text, { file, line });
}

const settings = await readSettings(configuration);
for (const [kind, lines] of kinds) {
  const uri = pathToFileURL(join(root, `all${kind}`)).href;
  const places = [...lines.values()];
  const text = [...lines.keys()].join('\n');
  const { issues, errors } = await spellCheckDocument({ uri, text }, { noConfigSearch: true }, settings);
  const found = issues.map(({ text: word, offset }) => {
    const { file, line } = places[text.slice(0, offset).split('\n').length - 1] ?? { file: kind, line: 0 };
    return `${file}:${line}: unknown word "${word}" (scripts/prose/words.txt)`;
  });
  const problems = [...found, ...(errors ?? []).map(String)];
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}

/** Each line must make sense alone, so code blocks are blanked and each line of a comment becomes a comment. */
function linesToCheck(kind: string, text: string): { text: string; line: number }[] {
  const numbered = (part: string, first: number, prefix = '') =>
    part.split('\n').map((each, index) => ({ text: prefix + each.trim(), line: first + index }));
  if (kind === '.md')
    return numbered(
      text.replace(pattern('CodeBlock'), (block) => block.replace(/[^\n]/g, '')),
      1,
    );
  if (!/^\.(?:ts|tsx|mjs)$/.test(kind)) return numbered(text, 1);
  return [...text.matchAll(/(?<!\w:)\/\/.*|\/\*[\s\S]*?\*\//g)].flatMap((comment) =>
    numbered(comment[0], text.slice(0, comment.index).split('\n').length, '// '),
  );
}

function pattern(name: string): RegExp {
  const found = patterns.find((each) => each.name === name)?.pattern ?? '';
  const [, source = '', flags = ''] = /^\/(.*)\/(\w*)$/.exec(found) ?? [];
  return new RegExp(source, flags);
}
