// The text of EPC QR codes, line by line as EPC069-12 has it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { epcCode } from '../../src/features/payments/bank/epc-code.ts';
import { rfReference } from '../../src/features/payments/bank/rf-reference.ts';
import '../harness/fixed-seed.ts';

const transfer = {
  holder: 'Müller & Söhne GmbH',
  iban: 'DE89370400440532013000',
  amountCents: 123_405n,
  currency: 'EUR',
  reference: rfReference(1003),
};

test('it has the twelve lines of version 2, without the empty ones at the end', () => {
  assert.equal(
    epcCode({ ...transfer, bic: 'COBADEFFXXX' }),
    'BCD\n002\n1\nSCT\nCOBADEFFXXX\nMüller & Söhne GmbH\nDE89370400440532013000\nEUR1234.05\n\nRF8300001003',
  );
});

test('the BIC is optional, its line is not', () => {
  assert.equal(epcCode(transfer)?.split('\n')[4], '');
});

test('other currencies, and amounts that the scheme does not allow, get no code', () => {
  assert.equal(epcCode({ ...transfer, currency: 'CHF' }), null);
  assert.equal(epcCode({ ...transfer, amountCents: 0n }), null);
  assert.equal(epcCode({ ...transfer, amountCents: -1n }), null);
  assert.equal(epcCode({ ...transfer, amountCents: 100_000_000_000n }), null);
  assert.match(epcCode({ ...transfer, amountCents: 1n }) ?? '', /^EUR0\.01$/m);
  assert.match(epcCode({ ...transfer, amountCents: 99_999_999_999n }) ?? '', /^EUR999999999\.99$/m);
});

test('a name with line ends cannot put another account into the code', () => {
  const text = epcCode({ ...transfer, holder: 'Us\r\nDE02120300000000202051\u0000' }) ?? '';
  assert.equal(text.split('\n')[5], 'Us DE02120300000000202051');
  assert.equal(text.split('\n')[6], transfer.iban);
});

test('a name of wide characters is shortened until the code fits', () => {
  const text = epcCode({ ...transfer, holder: '\u{1f600}'.repeat(70) }) ?? '';
  assert.ok(Buffer.byteLength(text) <= 331 && Buffer.byteLength(text) > 327);
});

test('any name fits into 70 characters and the code into 331 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (holder) => {
      const text = epcCode({ ...transfer, holder }) ?? '';
      const lines = text.split('\n');
      assert.equal(lines.length, 10);
      assert.ok([...(lines[5] ?? '')].length <= 70);
      assert.ok(Buffer.byteLength(text) <= 331);
      assert.ok(text.isWellFormed());
    }),
  );
});
