// Writes the configuration tables into docs/configuration.md, between two marks, from src/setup/settings.ts.

import {
  type ConfigurationVariable,
  clientVariables,
  configurationChapters,
} from '../../src/setup/settings.ts';

const marks = /(<!-- configuration: begin -->\n)[\s\S]*?(<!-- configuration: end -->)/;

export function withConfiguration(page: string): string {
  if (!marks.test(page)) throw new Error('docs/configuration.md has no marks for the configuration.');
  const chapters = [
    ...configurationChapters,
    { title: 'What the command line reads as well', variables: clientVariables },
  ];
  const text = chapters.map(({ title, variables }) => `### ${title}\n\n${table(variables)}\n`).join('\n');
  return page.replace(marks, (_whole, begin: string, end: string) => `${begin}\n${text}\n${end}`);
}

function table(variables: readonly ConfigurationVariable[]): string {
  const rows = variables.map(({ name, otherwise, meaning, example, isSecret }) => {
    const notes = [
      meaning,
      example === undefined ? '' : `Example: \`${example}\`.`,
      isSecret === true ? 'A secret.' : '',
    ];
    return `| \`${name}\` | ${otherwise} | ${notes.filter((note) => note !== '').join(' ')} |`;
  });
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}
