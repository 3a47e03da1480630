// Makes the report's tables: every figure with its median and its rounds, and every goal with its result. The text is printed
// and, with --write, put between two markers in docs/performance.md.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { type FigureName, figures, type GoalResult, judge, median, type Values } from './figures.ts';

const begin = '<!-- bench: begin -->';
const end = '<!-- bench: end -->';

export interface ReportFacts {
  readonly command: string;
  readonly postgres: string;
  readonly loadGenerator: string;
  /** Sentences about this run: what was seeded, what could not be measured. */
  readonly notes: readonly string[];
}

export function reportText(values: Values, facts: ReportFacts): string {
  return [
    `\`${facts.command}\`, ${new Date().toISOString().slice(0, 10)}. ${machine()}`,
    ['Sellthrough', revision(), 'Node', process.version].join(' ') +
      `, ${facts.postgres}, ${facts.loadGenerator}.`,
    ...facts.notes,
    '',
    ...figureTable(values),
    '',
    ...goalTable(judge(values)),
  ].join('\n');
}

/** Replaces the text between the markers. Creates the page if it is missing. */
export function writeReport(page: URL, text: string): void {
  const old = existsSync(page) ? readFileSync(page, 'utf8') : newPage;
  const from = old.indexOf(begin);
  const to = old.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${page.pathname} has no lines "${begin}" and "${end}".`);
  writeFileSync(page, `${old.slice(0, from)}${begin}\n\n${text}\n\n${old.slice(to)}`);
}

const newPage = `# Performance

Measured side by side on one machine, in rounds that take turns; each figure is the median of its rounds. The
figures depend on the machine, the ratios much less. \`npm run bench\` prints these tables for yours.

${begin}
${end}
`;

export function formatFigure(name: FigureName, value: number): string {
  const { unit } = figures[name];
  const digits = unit === 'ms' || unit === 's' ? 2 : 0;
  return `${value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

function figureTable(values: Values): string[] {
  const names = (Object.keys(figures) as FigureName[]).filter((name) => values.has(name));
  return table(
    ['Measured', 'Median', 'Rounds'],
    names.map((name) => {
      const found = values.get(name) ?? [];
      const rounds = found.map((value) => formatFigure(name, value).split(' ')[0]).join('  ');
      return [figures[name].title, formatFigure(name, median(found)), rounds];
    }),
  );
}

function goalTable(results: readonly GoalResult[]): string[] {
  return table(
    ['Goal', 'Wanted', 'Measured', ''],
    results.map(({ goal, value, isReached }) => [
      goal.title,
      goal.atLeast === undefined ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`,
      value === null ? '' : value.toFixed(value >= 100 ? 0 : 2),
      value === null ? 'not measured' : isReached ? 'reached' : 'NOT reached',
    ]),
  );
}

/** A Markdown table that is as easy to read as text. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)];
}

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const gigabytes = Math.round(totalmem() / 1e9);
  return `${model}, ${availableParallelism()} cores, ${gigabytes} GB, ${process.platform} ${process.arch}.`;
}

/** Version and commit of this checkout. */
function revision(): string {
  const root = new URL('../', import.meta.url);
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  const { status, stdout } = spawnSync('git', ['describe', '--always', '--dirty'], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? `${version} (${stdout.trim()})` : String(version);
}
