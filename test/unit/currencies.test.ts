import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currencyProblem } from '../../src/shared/currencies.ts';

test('a currency with two decimals is taken, also where Intl shows it without', () => {
  const shownWithout = ['HUF', 'COP', 'IDR', 'PKR', 'ALL', 'AFN', 'MGA', 'LBP', 'RSD'];
  for (const code of ['USD', 'EUR', 'GBP', 'CHF', 'BRL', 'XCD', 'XCG', 'MRU', ...shownWithout])
    assert.equal(currencyProblem(code), null, code);
});

test('a currency with other decimals is refused, also where Intl shows it with two or none', () => {
  for (const code of ['JPY', 'KRW', 'CLP', 'ISK', 'VND', 'XAF', 'XOF', 'XPF', 'UGX', 'UYI'])
    assert.match(currencyProblem(code) ?? '', /^has no decimals, and amounts here have two$/, code);
  for (const code of ['KWD', 'BHD', 'JOD', 'OMR', 'TND', 'LYD', 'IQD'])
    assert.match(currencyProblem(code) ?? '', /^has 3 decimals/, code);
  for (const code of ['CLF', 'UYW']) assert.match(currencyProblem(code) ?? '', /^has 4 decimals/, code);
});

test('what is no currency is refused: metals, units of account, test codes, made-up letters', () => {
  for (const code of ['XXX', 'XTS', 'XAU', 'XAG', 'XPT', 'XDR', 'XSU', 'AAA', 'ZZZ', 'BTC'])
    assert.equal(currencyProblem(code), 'is not a currency that people pay in', code);
});

test('nothing that Intl counts in thousandths is taken', () => {
  const digits = (currency: string) =>
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
  const thousandths = Intl.supportedValuesOf('currency').filter((code) => digits(code) === 3);
  assert.ok(thousandths.length > 0);
  for (const code of thousandths) assert.notEqual(currencyProblem(code), null, code);
});
