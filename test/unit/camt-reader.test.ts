// camt.053 and camt.054: every version and encoding, what a line says, batches, returns, and files that are refused.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type BankFileProblem,
  BankFileRefused,
  type BankLine,
} from '../../src/features/payments/bank/bank-statement.ts';
import { readCamt } from '../../src/features/payments/bank/camt-reader.ts';
import { bankIban, type CamtEntry, camtFile } from '../harness/camt-file.ts';

function linesOf(...entries: CamtEntry[]): readonly BankLine[] {
  return readCamt(Buffer.from(camtFile({ entries })))[0]?.lines ?? [];
}

function lineOf(entry: CamtEntry): BankLine {
  const [line, ...more] = linesOf(entry);
  assert.ok(line !== undefined && more.length === 0);
  return line;
}

function assertRefused(file: string | Uint8Array, problem: BankFileProblem): BankFileRefused {
  let refused: unknown;
  assert.throws(
    () => readCamt(typeof file === 'string' ? Buffer.from(file) : file),
    (error) => {
      refused = error;
      return error instanceof BankFileRefused && error.problem === problem;
    },
    problem,
  );
  return refused as BankFileRefused;
}

const paid = `<Refs><EndToEndId>E-77</EndToEndId><AcctSvcrRef>T-1</AcctSvcrRef></Refs>
  <RltdPties><Dbtr><Pty><Nm>Ada &amp; S\u00f6hne</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></DbtrAcct>
  <Cdtr><Pty><Nm>Us</Nm></Pty></Cdtr><CdtrAcct><Id><IBAN>${bankIban}</IBAN></Id></CdtrAcct></RltdPties>
  <RmtInf><Ustrd>Top-up RF83</Ustrd><Ustrd>0000 1003</Ustrd>
  <Strd><RfrdDocInf><Nb>12</Nb></RfrdDocInf><CdtrRefInf><Ref>RF8300001003</Ref></CdtrRefInf></Strd></RmtInf>`;

test('a line has what the bank says of a transaction', () => {
  const [statement] = readCamt(
    Buffer.from(camtFile({ entries: [{ amount: '12.5', id: 'A-1', transactions: [paid] }] })),
  );
  assert.deepEqual(statement, {
    id: 'S-1',
    iban: bankIban,
    localAccount: null,
    currency: 'EUR',
    lines: [
      {
        place: 6,
        bookedOn: '2026-11-25',
        amountCents: 1250n,
        currency: 'EUR',
        payerName: 'Ada & S\u00f6hne',
        payerIban: 'NL91ABNA0417164300',
        text: 'Top-up RF83\n0000 1003\n12',
        reference: 'RF8300001003',
        endToEndId: 'E-77',
        bankId: 'A-1',
        isReturn: false,
        isBooked: true,
        isUnsplitBatch: false,
        partOf: null,
      },
    ],
  });
});

describe('it reads', () => {
  const entries = [{ amount: '12.50', transactions: [paid] }];
  const latin = (text: string) => Buffer.from(text, 'latin1');
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  const table: [title: string, file: Uint8Array][] = [
    ...['02', '04', '08', '10', '13'].map((version): [string, Uint8Array] => [
      `camt.053.001.${version}`,
      Buffer.from(camtFile({ version, entries })),
    ]),
    ['camt.054', Buffer.from(camtFile({ kind: '054', version: '04', entries }))],
    ['another namespace', Buffer.from(camtFile({ namespace: 'ISO:camt.053.001.02:APC:STUZZA', entries }))],
    ['no namespace', Buffer.from(camtFile({ entries }).replace(/ xmlns="[^"]*"/, ''))],
    ['a prefix', Buffer.from(camtFile({ prefix: 'ns2', entries }))],
    ['no XML declaration', Buffer.from(camtFile({ declaration: '', entries }))],
    ['a byte order mark', Buffer.from(`\ufeff${camtFile({ entries })}`)],
    ['Latin-1', latin(camtFile({ declaration: '<?xml version="1.0" encoding="ISO-8859-1"?>', entries }))],
    [
      'Windows-1252 in single quotes',
      latin(
        camtFile({ declaration: "<?xml version='1.0' encoding='windows-1252' standalone='yes'?>", entries }),
      ),
    ],
    ['UTF-16 with a mark', utf16(`\ufeff${camtFile({ entries })}`)],
    ['UTF-16 without a mark', utf16(camtFile({ entries }))],
    ['UTF-16, the high byte first', utf16(`\ufeff${camtFile({ entries })}`).swap16()],
    ['the same without a mark', utf16(camtFile({ entries })).swap16()],
    [
      'an envelope around the document',
      Buffer.from(
        `<e:BizMsg xmlns:e="x"><e:Hdr/>${camtFile({ declaration: '', entries })}<e:End>1</e:End></e:BizMsg>`,
      ),
    ],
    ['CDATA', Buffer.from(camtFile({ entries }).replace('Ada &amp;', '<![CDATA[Ada &]]>'))],
    ['comments', Buffer.from(camtFile({ entries }).replace('Ada', 'A<!-- <Nm>x</Nm> -->da'))],
    ['numbered characters', Buffer.from(camtFile({ entries }).replace('\u00f6', '&#xF6;'))],
  ];
  for (const [title, file] of table)
    test(title, () => {
      const [statement] = readCamt(file);
      const [line] = statement?.lines ?? [];
      assert.equal(statement?.iban, bankIban);
      assert.equal(line?.amountCents, 1250n);
      assert.equal(line?.payerName, 'Ada & S\u00f6hne');
      assert.equal(line?.bookedOn, '2026-11-25');
      assert.equal(line?.isBooked, true);
    });
});

test('the first version had its details right in the entry', () => {
  const text = camtFile({ version: '01', entries: [{ amount: '1', transactions: [paid] }] })
    .replace(/<\/?NtryDtls>/g, '')
    .replace(/BkToCstmrStmt/g, 'BkToCstmrStmtV01')
    .replace('<Ref>', '<CdtrRef>')
    .replace('</Ref>', '</CdtrRef>');
  assert.equal(readCamt(Buffer.from(text))[0]?.lines[0]?.reference, 'RF8300001003');
});

test('several statements of several accounts stay apart', () => {
  const other = camtFile({ iban: 'NL91ABNA0417164300', statementId: 'S-2', entries: [{ amount: '2' }] });
  const second = /<Stmt>[\s\S]*<\/Stmt>/.exec(other)?.[0] ?? '';
  const file = camtFile({ entries: [{ amount: '1' }] }).replace('</Stmt>', `</Stmt>${second}`);
  assert.deepEqual(
    readCamt(Buffer.from(file)).map(({ id, iban, lines }) => [
      id,
      iban,
      lines.map((line) => line.amountCents),
    ]),
    [
      ['S-1', bankIban, [100n]],
      ['S-2', 'NL91ABNA0417164300', [200n]],
    ],
  );
});

test('details belong to their entry, and the own account to its statement', () => {
  const between = (payer: string, payee: string) =>
    `<RltdPties><Dbtr><Nm>d</Nm></Dbtr><DbtrAcct><Id><IBAN>${payer}</IBAN></Id></DbtrAcct><Cdtr><Nm>c</Nm></Cdtr>
     <CdtrAcct><Id><IBAN>${payee}</IBAN></Id></CdtrAcct></RltdPties>`;
  const other = 'NL91ABNA0417164300';
  const entries = [bankIban, other].map((payee) => ({
    amount: '1',
    isDebit: true,
    transactions: [between(payee === other ? bankIban : other, payee)],
  }));
  const second = /<Stmt>[\s\S]*<\/Stmt>/.exec(camtFile({ iban: other, entries }))?.[0] ?? '';
  const file = camtFile({ entries }).replace('</Stmt>', `</Stmt>${second}`);
  assert.deepEqual(
    readCamt(Buffer.from(file)).map(({ lines }) => lines.map(({ payerName }) => payerName)),
    [
      ['d', 'c'],
      ['c', 'd'],
    ],
  );
});

test('an account without an IBAN has its local number', () => {
  const file = camtFile({ entries: [] }).replace(/<IBAN>.*<\/IBAN>/, '<Othr><Id>0532013000</Id></Othr>');
  const [statement] = readCamt(Buffer.from(file));
  assert.equal(statement?.iban, null);
  assert.equal(statement?.localAccount, '0532013000');
});

test('elements of another namespace are not read, even with known names', () => {
  const foreign = '<x:Amt xmlns:x="other" Ccy="EUR">999.00</x:Amt>';
  const file = camtFile({ entries: [{ amount: '1.00' }] }).replace('<Amt Ccy="EUR">1.00', `${foreign}$&`);
  assert.equal(readCamt(Buffer.from(file))[0]?.lines[0]?.amountCents, 100n);
});

test('charges, balances and supplements are not taken for the amount or the text', () => {
  const more = '<Chrgs><Rcrd><Amt Ccy="EUR">9.00</Amt><CdtDbtInd>DBIT</CdtDbtInd></Rcrd></Chrgs>';
  const transaction = `${paid}<SplmtryData><Envlp><RmtInf><Ustrd>RF7400000001</Ustrd></RmtInf></Envlp></SplmtryData>`;
  const line = lineOf({ amount: '1.00', more, transactions: [more + transaction] });
  assert.equal(line.amountCents, 100n);
  assert.doesNotMatch(line.text, /RF74/);
});

describe('amounts', () => {
  const table: [text: string, cents: bigint | BankFileProblem][] = [
    ['0.01', 1n],
    ['1', 100n],
    ['1.', 100n],
    ['.5', 50n],
    ['+1.50', 150n],
    ['1.50000', 150n],
    ['9999999999999.99', 999_999_999_999_999n],
    ['1.505', 'bad_amount'],
    ['-1.00', 'bad_amount'],
    ['1,50', 'bad_amount'],
    ['1e3', 'bad_amount'],
    ['', 'bad_amount'],
    ['=1+1', 'bad_amount'],
    ['99999999999999', 'bad_amount'],
  ];
  for (const [amount, expected] of table)
    test(`${JSON.stringify(amount)}: ${expected}`, () => {
      if (typeof expected === 'bigint') assert.equal(lineOf({ amount }).amountCents, expected);
      else assert.equal(assertRefused(camtFile({ entries: [{ amount }] }), expected).line, 6);
    });
});

test('a debit is negative and names who was paid', () => {
  const line = lineOf({
    amount: '3.00',
    isDebit: true,
    transactions: ['<RltdPties><Cdtr><Nm>Landlord</Nm></Cdtr><Dbtr><Nm>Us</Nm></Dbtr></RltdPties>'],
  });
  assert.equal(line.amountCents, -300n);
  assert.equal(line.payerName, 'Landlord');
});

describe('days', () => {
  const table: [date: string, expected: string | BankFileProblem][] = [
    ['<Dt>2028-02-29</Dt>', '2028-02-29'],
    ['<Dt>2026-11-25+01:00</Dt>', '2026-11-25'],
    ['<DtTm>2026-11-25T23:59:59+01:00</DtTm>', '2026-11-25'],
    ['<Dt>2026-02-29</Dt>', 'bad_date'],
    ['<Dt>25.11.2026</Dt>', 'bad_date'],
    ['<Dt></Dt>', 'missing_field'],
  ];
  for (const [date, expected] of table)
    test(`${date}: ${expected}`, () => {
      const file = camtFile({ entries: [{ amount: '1' }] }).replace('<Dt>2026-11-25</Dt>', date);
      if (/^\d/.test(expected)) assert.equal(readCamt(Buffer.from(file))[0]?.lines[0]?.bookedOn, expected);
      else assertRefused(file, expected as BankFileProblem);
    });
});

describe('only what is booked counts', () => {
  const table: [title: string, kind: '053' | '054', entry: CamtEntry, isBooked: boolean][] = [
    ['a booked entry', '053', { amount: '1' }, true],
    ['a pending one', '053', { amount: '1', status: 'PDNG' }, false],
    ['information', '053', { amount: '1', status: 'INFO' }, false],
    ['a statement without a status', '053', { amount: '1', status: '' }, true],
    ['a statement without a booking date', '053', { amount: '1', bookedOn: null }, true],
    ['a notification', '054', { amount: '1' }, true],
    ['a notification without a status', '054', { amount: '1', status: '' }, false],
    ['a notification without a booking date', '054', { amount: '1', bookedOn: null }, false],
  ];
  for (const [title, kind, entry, isBooked] of table)
    test(`${title}: ${isBooked}`, () =>
      assert.equal(
        readCamt(Buffer.from(camtFile({ kind, entries: [entry] })))[0]?.lines[0]?.isBooked,
        isBooked,
      ));
});

describe('a batch', () => {
  const part = (amount: string, text: string, more = '') =>
    `<Refs><AcctSvcrRef>${text}</AcctSvcrRef></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">${amount}</Amt></TxAmt></AmtDtls>
     <RmtInf><Ustrd>${text}</Ustrd></RmtInf>${more}`;

  test('becomes one line for each transaction, each knowing the whole', () => {
    const lines = linesOf({
      amount: '6.00',
      id: 'A-1',
      announced: 3,
      transactions: [part('1.00', 'a'), part('2.00', 'b'), `<Amt Ccy="EUR">3.00</Amt>${part('9.99', '')}`],
    });
    assert.deepEqual(
      lines.map(({ amountCents, text, bankId, isUnsplitBatch, partOf }) => [
        amountCents,
        text,
        bankId,
        isUnsplitBatch,
        partOf,
      ]),
      [
        [100n, 'a', 'a', false, { bankId: 'A-1', amountCents: 600n }],
        [200n, 'b', 'b', false, { bankId: 'A-1', amountCents: 600n }],
        [300n, '', 'A-1', false, { bankId: 'A-1', amountCents: 600n }],
      ],
    );
  });

  test('with a debit within is split if the sum is right', () => {
    const lines = linesOf({
      amount: '3.00',
      transactions: [part('4.00', 'a'), `<CdtDbtInd>DBIT</CdtDbtInd>${part('1.00', 'charges')}`],
    });
    assert.deepEqual(
      lines.map(({ amountCents }) => amountCents),
      [400n, -100n],
    );
  });

  const unsplit: [title: string, entry: CamtEntry][] = [
    ['whose amounts do not add up', { amount: '6.00', transactions: [part('1.00', 'a'), part('2.00', 'b')] }],
    ['without an amount', { amount: '3.00', transactions: [part('3.00', 'a'), '<RmtInf/>'] }],
    [
      'in another currency',
      { amount: '3.00', currency: 'CHF', transactions: [part('1', 'a'), part('2', 'b')] },
    ],
    [
      'of which some are missing',
      { amount: '3.00', announced: 3, transactions: [part('1', 'a'), part('2', 'b')] },
    ],
    ['of which only one is listed', { amount: '3.00', announced: 2, transactions: [part('3.00', 'a')] }],
    ['of which the only one has less', { amount: '3.00', transactions: [part('1.00', 'a')] }],
    ['that is only announced', { amount: '3.00', announced: 2 }],
  ];
  for (const [title, entry] of unsplit)
    test(`${title} stays one line without a payer`, () => {
      const line = lineOf({ ...entry, id: 'A-1' });
      assert.equal(line.isUnsplitBatch, true);
      assert.equal(line.bankId, 'A-1');
      assert.deepEqual(
        [line.reference, line.endToEndId, line.payerName, line.partOf],
        [null, null, null, null],
      );
    });

  test('of one transaction, less the bank’s charges, is one ordinary line', () => {
    const line = lineOf({ amount: '2.90', announced: 1, transactions: [part('3.00', 'a')] });
    assert.equal(line.isUnsplitBatch, false);
    assert.equal(line.amountCents, 290n);
    assert.equal(line.text, 'a');
  });
});

describe('a return', () => {
  const code = (subFamily: string) =>
    `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>${subFamily}</SubFmlyCd></Fmly></Domn></BkTxCd>`;
  const own = (value: string, issuer: string) =>
    `<BkTxCd><Prtry><Cd>${value}</Cd><Issr>${issuer}</Issr></Prtry></BkTxCd>`;
  const table: [title: string, entry: Omit<CamtEntry, 'amount'>, isReturn: boolean][] = [
    ['return information', { transactions: ['<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>'] }, true],
    ['a returned transfer', { more: code('RRTN') }, true],
    ['a recalled transfer', { transactions: [code('RPCR')] }, true],
    ['an ordinary transfer', { more: code('ESCT') }, false],
    ['a reversal', { more: '<RvslInd>true</RvslInd>' }, true],
    ['no reversal', { more: '<RvslInd>false</RvslInd>' }, false],
    ['Germany’s code', { more: own('NTRF+159+00931', 'DK') }, true],
    ['Germany’s code alone', { more: own('109', 'ZKA') }, true],
    ['Germany’s code of a transfer', { more: own('NTRF+166+00931', 'DK') }, false],
    ['the same number of another country', { more: own('159', 'SIX') }, false],
    ['SWIFT’s returned item', { more: own('NRTI', 'SWIFT') }, true],
  ];
  for (const [title, entry, isReturn] of table)
    test(`${title}: ${isReturn}`, () =>
      assert.equal(lineOf({ amount: '1', isDebit: true, ...entry }).isReturn, isReturn));

  test('keeps the original’s ids and names the original’s payer', () => {
    const line = lineOf({
      amount: '12.50',
      isDebit: true,
      transactions: [`${paid}<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>`],
    });
    assert.equal(line.isReturn, true);
    assert.equal(line.endToEndId, 'E-77');
    assert.equal(line.reference, 'RF8300001003');
    assert.equal(line.payerName, 'Ada & S\u00f6hne');
  });
});

test('placeholders are not ids, and neither is the number of an entry', () => {
  const refs = '<Refs><EndToEndId>NOTPROVIDED</EndToEndId><AcctSvcrRef>NONREF</AcctSvcrRef></Refs>';
  const line = lineOf({ amount: '1', id: 'NONREF', transactions: [refs] });
  assert.equal(line.endToEndId, null);
  assert.equal(line.bankId, null);
});

describe('it refuses', () => {
  const sound = camtFile({ entries: [{ amount: '1', transactions: [paid] }] });
  const laughs = Array.from(
    { length: 10 },
    (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
  );
  const table: [title: string, file: string | Uint8Array, problem: BankFileProblem][] = [
    [
      'an external entity',
      sound
        .replace('<Document', '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><Document')
        .replace('Us<', '&x;<'),
      'unsafe_xml',
    ],
    [
      'entities that grow',
      sound
        .replace('<Document', `<!DOCTYPE d [<!ENTITY l0 "ha">${laughs.join('')}]><Document`)
        .replace('Us<', '&l10;<'),
      'unsafe_xml',
    ],
    [
      'an external document type',
      sound.replace('<Document', '<!DOCTYPE d SYSTEM "http://192.0.2.1/d"><Document'),
      'unsafe_xml',
    ],
    ['an entity of HTML', sound.replace('Us<', '&nbsp;<'), 'unsafe_xml'],
    ['a style sheet', sound.replace('<Document', '<?xml-stylesheet href="x.xsl"?><Document'), 'unsafe_xml'],
    ['elements nested without end', '<a>'.repeat(100_000), 'unsafe_xml'],
    [
      'a transaction of endless elements',
      sound.replace('<RmtInf>', `<RmtInf>${'<Ustrd/>'.repeat(30_000)}`),
      'malformed',
    ],
    ['a missing end', sound.slice(0, -11), 'truncated'],
    ['half a file', sound.slice(0, sound.length / 2), 'truncated'],
    ['half a tag', sound.slice(0, sound.indexOf('<RmtInf>') + 4), 'truncated'],
    ['crossed tags', sound.replace('</Stmt>', '</Stm>'), 'malformed'],
    ['two roots', sound + camtFile({ declaration: '', entries: [] }), 'malformed'],
    [
      'a prefix without a namespace',
      sound.replace('<Stmt>', '<x:Stmt>').replace('</Stmt>', '</x:Stmt>'),
      'malformed',
    ],
    ['Latin-1 that is called UTF-8', Buffer.from(sound, 'latin1'), 'bad_encoding'],
    ['an unknown encoding', sound.replace('UTF-8', 'EBCDIC-US'), 'bad_encoding'],
    ['an encoding by the name of a method', sound.replace('UTF-8', 'constructor'), 'bad_encoding'],
    ['an empty file', '', 'truncated'],
    ['an interim report', camtFile({ kind: '052', entries: [] }), 'unsupported_message'],
    ['a payment order', '<Document><CstmrCdtTrfInitn/></Document>', 'unsupported_message'],
    ['other XML', '<html/>', 'unsupported_message'],
    ['an entry without an amount', sound.replace(/(<Ntry>.*?)<Amt.*?<\/Amt>/, '$1'), 'missing_field'],
    ['an amount without a currency', sound.replace('<Amt Ccy="EUR">1<', '<Amt>1<'), 'bad_amount'],
    [
      'an entry without a direction',
      sound.replace(/(<Ntry>.*?)<CdtDbtInd>.*?<\/CdtDbtInd>/, '$1'),
      'missing_field',
    ],
    [
      'more than 100,000 lines',
      camtFile({
        entries: [{ amount: '100001', transactions: Array(100_001).fill('<Amt Ccy="EUR">1</Amt>') }],
      }),
      'too_many_lines',
    ],
  ];
  for (const [title, file, problem] of table)
    test(title, () => {
      assertRefused(file, problem);
    });

  test('with the line, for people', () => {
    const refused = assertRefused(sound.replace('</Stmt>', '</Stm>'), 'malformed');
    assert.equal(refused.line, 11);
    assert.match(refused.message, /^Line 11: this is not XML \(unexpected close tag\.\)/);
  });
});

test('100,000 lines are read, and places and parts do not depend on how the text is cut', () => {
  const transactions = Array.from(
    { length: 100_000 },
    (_, index) => `\n<Amt Ccy="EUR">0.0${(index % 9) + 1}</Amt>`,
  );
  const sum = transactions.reduce((total, _, index) => total + (index % 9) + 1, 0);
  const lines = linesOf({ amount: (sum / 100).toFixed(2), transactions });
  assert.equal(lines.length, 100_000);
  assert.equal(lines.at(-1)?.amountCents, BigInt((99_999 % 9) + 1));
  assert.equal(lines.at(-1)?.place, 100_005);
});
