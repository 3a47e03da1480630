// `npm run test:spreadsheets`: opens the service's CSV files in LibreOffice, separated by commas, semicolons and tabs. Not
// part of `npm test`, as it needs LibreOffice.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { startTestService } from '../scripts/throwaway/test-service.ts';
import { columns, hostileFile, hostileTexts } from '../test/harness/hostile-cells.ts';
import { credit } from '../test/harness/shop.ts';

const separators = { comma: 44, semicolon: 59, tab: 9 } as const;
const program = process.env['SOFFICE'] ?? 'soffice';

let folder: string;
before(() => {
  if (spawnSync(program, ['--version']).status !== 0)
    throw new Error(
      'LibreOffice is not installed here. On Debian: apt-get install --no-install-recommends libreoffice-calc-nogui',
    );
  folder = mkdtempSync(join(tmpdir(), 'sellthrough-spreadsheets-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** `asText`: quoted cells stay text, so that imported references such as 007 keep their zeros. */
function opened(name: string, csv: string, separator: number, to: string, asText: boolean): string {
  writeFileSync(join(folder, `${name}.csv`), csv);
  const filter = `--infilter=Text - txt - csv (StarCalc):${separator},34,76,1,,0,${asText},true,false`;
  const out = join(folder, `${name}-${separator}`);
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  const args = [
    profile,
    '--headless',
    '--convert-to',
    to,
    filter,
    '--outdir',
    out,
    join(folder, `${name}.csv`),
  ];
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 300_000 });
  assert.equal(status, 0, stderr);
  return readFileSync(join(out, `${name}.${to.split(':')[0]}`), 'utf8');
}

function formulasOf(name: string, csv: string, separator: number): string[] {
  return opened(name, csv, separator, 'fods', false).match(/table:formula="[^"]*"/g) ?? [];
}

function expectNoFormulas(name: string, csv: string): void {
  for (const [kind, separator] of Object.entries(separators)) {
    assert.deepEqual(formulasOf(name, csv, separator), [], `${name}.csv, separator ${kind}`);
  }
}

test('LibreOffice computes what is not guarded', () => {
  const csv = '1,"Ada;=1+1"\n2,"=1+1"\n3,"Ada\t=1+1"\n';
  for (const separator of Object.values(separators)) {
    assert.equal(formulasOf('unguarded', csv, separator).length, 1, String(separator));
  }
});

test('hostile texts side by side are no formulas, and are shown as they were written', () => {
  // LibreOffice stops reading at NUL, and XML cannot contain other control characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones
  const texts = hostileTexts.filter((text) => !/[\0-\x08\x0e-\x1f]/.test(text));
  const csv = hostileFile(texts);
  expectNoFormulas('hostile', csv);

  // Texts with line ends are left out, because cells normalize line ends.
  const shown = texts.filter((text) => !/[\r\n\v\f\u0085\u2028\u2029]/.test(text));
  const file = hostileFile(shown);
  const written: string[][] = parse(file);
  const read: string[][] = parse(
    opened('shown', file, separators.comma, 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true', true),
  );
  // LibreOffice shows numbers without trailing zeros.
  const amountAt = columns.indexOf('amount');
  const asShown = (row: readonly string[]) =>
    row.map((cell, index) => (index === amountAt && /^-?\d/.test(cell) ? String(Number(cell)) : cell));
  assert.equal(read.length, written.length);
  for (const [index, row] of written.entries())
    assert.deepEqual(read[index], asShown(row), `line ${index + 1}`);
});

test('the files of the service: customers, orders, ledger and statements, with sums that a spreadsheet adds up', async (t) => {
  const service = await startTestService();
  t.after(() => service.close());
  const account = await service.createReseller({ credit: '500.00' });
  const names = ["Ada;=cmd|' /C calc'!A0", 'Bea;@SUM(1)', '=1+1', 'Carl,"=1+1', '-2+3'];
  for (const [index, name] of names.entries()) {
    const customer = `=guest-${index}@example.com`;
    const key = `=key;=${index}`;
    const body = { package_id: service.packages.basic, customer, customer_name: name, idempotency_key: key };
    const { status, text } = await account.post('/orders', body);
    assert.equal(status, 201, text);
  }
  await credit(service, account, '12.50');
  for (const list of ['customers', 'orders', 'ledger']) {
    const { text } = await account.get(`/${list}?format=csv`);
    expectNoFormulas(list, text);
    if (list !== 'ledger') continue;
    const flat = opened(list, text, separators.comma, 'fods', false);
    const amounts = [...flat.matchAll(/office:value-type="float" office:value="(-?[\d.]+)"/g)].map(
      ([, value]) => value,
    );
    assert.equal(amounts.filter((value) => value === '-10').length, names.length, 'charges are numbers');
  }
  const month = (await account.get('/statements')).body.data[0].month;
  expectNoFormulas('statement', (await account.get(`/statements/${month}?format=csv`)).text);
});
