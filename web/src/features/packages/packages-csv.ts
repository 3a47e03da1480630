// Reads packages from CSV: name, a column for each limit, and prices such as reseller_monthly.

import { t } from '@lingui/core/macro';
import type { PackageSettings } from '../../api/commands.ts';
import type { Limit } from '../../api/shapes.ts';

const groups = ['reseller', 'distributor'] as const;
const periods = ['monthly', 'quarterly', 'yearly'] as const;
const amount = /^\d{1,9}(\.\d{1,2})?$/;
const durationDays = 30;

type Read = readonly PackageSettings[] | { readonly problem: string };

export function packagesIn(text: string, limits: readonly Limit[]): Read {
  const [head = [], ...rows] = linesOf(text);
  const columns = head.map((name) => name.toLowerCase());
  const prices = groups.flatMap((group) => periods.map((period) => `${group}_${period}`));
  const known = new Set(['name', 'description', ...limits.map(({ key }) => key), ...prices]);
  const odd = columns.find((name) => !known.has(name));
  if (odd !== undefined) return { problem: t`There is no column “${odd}”. Use ${[...known].join(', ')}.` };
  const sold = periods.filter((period) => groups.every((group) => columns.includes(`${group}_${period}`)));
  if (!columns.includes('name') || sold.length === 0)
    return {
      problem: t`Name a column “name”, and prices for both groups, such as reseller_monthly and distributor_monthly.`,
    };
  const found: PackageSettings[] = [];
  for (const [index, row] of rows.entries()) {
    const line = index + 2;
    const at = (name: string) => row[columns.indexOf(name)]?.trim() ?? '';
    const priced = (group: (typeof groups)[number]) =>
      Object.fromEntries(
        periods.map((period) => [period, sold.includes(period) ? at(`${group}_${period}`) : '0']),
      );
    const [reseller, distributor] = [priced('reseller'), priced('distributor')];
    const wrong = [...Object.values(reseller), ...Object.values(distributor)].find(
      (price) => !amount.test(price),
    );
    if (at('name') === '') return { problem: t`Line ${line} has no name.` };
    if (wrong !== undefined)
      return { problem: t`Line ${line}: “${wrong}” is not a price. Write it like 12.50.` };
    const values = limits.map((limit) => [limit.key, limitValueOf(limit, at(limit.key))] as const);
    const bad = values.find(([, value]) => value === undefined);
    if (bad !== undefined) return { problem: t`Line ${line}: the value of “${bad[0]}” does not fit.` };
    found.push({
      name: at('name'),
      ...(at('description') !== '' && { description: at('description') }),
      features: [],
      limits: Object.fromEntries(
        values.filter(([, value]) => value !== undefined),
      ) as PackageSettings['limits'],
      duration_days: durationDays,
      periods: sold,
      prices: { reseller: fixed(reseller), distributor: fixed(distributor) },
    });
  }
  return found;
}

type PeriodPrices = Record<(typeof periods)[number], string>;

function fixed(prices: Record<string, string>): PeriodPrices {
  const two = (period: string) => Number(prices[period] ?? 0).toFixed(2);
  return { monthly: two('monthly'), quarterly: two('quarterly'), yearly: two('yearly') };
}

/** An empty count is unlimited. */
function limitValueOf({ kind }: Limit, text: string): number | boolean | string | null | undefined {
  if (kind === 'text') return text;
  if (kind === 'switch')
    return /^(yes|true|1|ja)$/i.test(text) ? true : /^(no|false|0|nein|)$/i.test(text) ? false : undefined;
  if (text === '') return null;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function linesOf(text: string): string[][] {
  const separator = /^[^\n,]*[;\t]/.exec(text) ? (text.includes('\t') ? '\t' : ';') : ',';
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => cellsOf(line, separator));
}

function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let index = 0; index < line.length; index += 1) {
    const letter = line[index] ?? '';
    if (letter === '"' && isQuoted && line[index + 1] === '"') {
      cell += letter;
      index += 1;
    } else if (letter === '"') isQuoted = !isQuoted;
    else if (letter === separator && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += letter;
  }
  return [...cells, cell].map((one) => one.trim());
}
