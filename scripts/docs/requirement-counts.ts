// Writes the first table of docs/asvs.md, between two marks: how many OWASP ASVS requirements of each chapter are met, not
// met and not applicable. A row counts once for each requirement number that it names.

const marks = /(<!-- requirements: begin -->\n)[\s\S]*?(<!-- requirements: end -->)/;
const answers = ['met', 'not met', 'does not apply'] as const;

export function withRequirementCounts(page: string): string {
  if (!marks.test(page)) throw new Error('docs/asvs.md has no marks for the requirements.');
  return page.replace(marks, (_whole, begin: string, end: string) => `${begin}\n${table(page)}\n\n${end}`);
}

function table(page: string): string {
  const counted = new Set<string>();
  const total = new Map<string, number>();
  const lines: string[] = [];
  for (const chapter of page.split(/^## /m).slice(1)) {
    const [title = ''] = chapter.split('\n');
    const counts = new Map<string, number>();
    for (const row of chapter.split('\n').filter((line) => /^\| \d/.test(line))) {
      const [, named = '', , answer = ''] = row.split('|');
      const [, said = ''] = /^ \*\*(.*?)\*\*/.exec(answer) ?? [];
      if (!answers.some((one) => one === said)) throw new Error(`docs/asvs.md gives no answer in "${row}".`);
      for (const number of numbersOf(named)) {
        if (!title.startsWith(`${number.split('.')[0]} `)) throw new Error(`${number} stands in "${title}".`);
        if (counted.has(number)) throw new Error(`docs/asvs.md names ${number} twice.`);
        counted.add(number);
        for (const sums of [counts, total]) sums.set(said, (sums.get(said) ?? 0) + 1);
      }
    }
    lines.push(`| ${title} | ${answers.map((answer) => counts.get(answer) ?? 0).join(' | ')} |`);
  }
  const totals = answers.map((answer) => `**${total.get(answer) ?? 0}**`);
  return [
    '| Chapter | Met | Not met | Does not apply |',
    '|---|---|---|---|',
    ...lines,
    `| **All ${counted.size}** | ${totals.join(' | ')} |`,
  ].join('\n');
}

/** "5.1.1, 5.2.1 to 5.2.3" names four requirements. A range must stay within its section to be countable. */
function numbersOf(named: string): string[] {
  return named.split(',').flatMap((part) => {
    const match = /^ *(\d+\.\d+)\.(\d+)(?: to (\d+\.\d+)\.(\d+))? *$/.exec(part);
    const [, section = '', first = '', lastSection = section, last = first] = match ?? [];
    const count = Number(last) - Number(first) + 1;
    if (match === null || lastSection !== section || !(count >= 1)) {
      throw new Error(`docs/asvs.md has a number that cannot be counted: "${part}".`);
    }
    return Array.from({ length: count }, (_, index) => `${section}.${Number(first) + index}`);
  });
}
