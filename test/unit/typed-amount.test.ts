import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTypedAmount, readWholeNumber, separatorsOf } from '../../web/src/text/typed-amount.ts';

const cases = `
  typed          en        de
  99.50          99.50     99.50
  99,50          99.50     99.50
  99,5           99.5      99.5
  1,234          1234      -
  1.234          -         1234
  1,234.50       1234.50   -
  1.234,50       -         1234.50
  12,345,678     12345678  -
  1.234.567,8    -         1234567.8
  1234           1234      1234
  0.05           0.05      0.05
  1,23,456       -         -
  1.23.456       -         -
  12.345.67      -         -
  1,2345         -         -
  .50            -         -
  5.             -         -
  -5             -         -
  1e3            -         -
  1.000.000.000.000  -     -
`;

const rows = cases
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.trim().split(/\s{2,}|\s+(?=-)/));

for (const [place, language] of ['en', 'de'].entries()) {
  test(`an amount typed in the way of ${language} is read as what it says, or as nothing`, () => {
    for (const [typed = '', ...wanted] of rows) {
      const found = readTypedAmount(typed, separatorsOf(language)) ?? '-';
      assert.equal(found, wanted[place], typed);
    }
  });
}

const counts = `
  typed          en        de
  15             15        15
  1,5            -         -
  1.5            -         -
  2,50           -         -
  1,000          1000      -
  1.000          -         1000
  2,147,483,647  2147483647  -
  2.147.483.648  -         -
  -1             -         -
  ten            -         -
`;

for (const [place, language] of ['en', 'de'].entries()) {
  test(`a count typed in the way of ${language} is read as what it says, or as nothing: a fraction is not a count`, () => {
    const lines = counts.trim().split('\n').slice(1);
    for (const [typed = '', ...wanted] of lines.map((line) => line.trim().split(/\s+/))) {
      const found = readWholeNumber(typed, separatorsOf(language)) ?? '-';
      assert.equal(String(found), wanted[place], typed);
    }
  });
}
