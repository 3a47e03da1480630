export const bankIban = 'DE89370400440532013000';

export interface CamtEntry {
  readonly amount: string;
  readonly currency?: string;
  readonly isDebit?: boolean;
  readonly bookedOn?: string | null;
  readonly status?: string;
  readonly id?: string;
  /** Elements of the entry, before `NtryDtls`. */
  readonly more?: string;
  /** The content of each `TxDtls`. */
  readonly transactions?: readonly string[];
  readonly announced?: number;
}

interface CamtFile {
  readonly kind?: '053' | '054' | '052';
  readonly version?: string;
  readonly prefix?: string;
  readonly namespace?: string;
  readonly declaration?: string;
  readonly iban?: string;
  readonly statementId?: string;
  readonly entries: readonly CamtEntry[];
}

const roots = {
  '052': ['BkToCstmrAcctRpt', 'Rpt'],
  '053': ['BkToCstmrStmt', 'Stmt'],
  '054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const;

export function camtFile(file: CamtFile): string {
  const { kind = '053', version = '08', entries, iban = bankIban, statementId = 'S-1' } = file;
  const namespace = file.namespace ?? `urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.${version}`;
  const [root, statement] = roots[kind];
  const content = entries.map((entry) => entryOf(entry, Number(version))).join('\n');
  const body = `<Document xmlns="${namespace}">
<${root}><GrpHdr><MsgId>M-1</MsgId><CreDtTm>2026-11-26T06:00:00</CreDtTm></GrpHdr>
<${statement}><Id>${statementId}</Id><Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>EUR</Ccy><Ownr><Nm>Us</Nm></Ownr></Acct>
<Bal><Amt Ccy="EUR">1000.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
${content}
</${statement}></${root}></Document>`;
  const { prefix } = file;
  const prefixed =
    prefix === undefined
      ? body
      : body.replace(/<(\/?)(?=\w)/g, `<$1${prefix}:`).replace('xmlns=', `xmlns:${prefix}=`);
  return (file.declaration ?? '<?xml version="1.0" encoding="UTF-8"?>\n') + prefixed;
}

function entryOf(entry: CamtEntry, version: number): string {
  const { amount, currency = 'EUR', isDebit = false, bookedOn = '2026-11-25', status = 'BOOK' } = entry;
  const { id, more = '', transactions = [], announced } = entry;
  return [
    `<Ntry><NtryRef>1</NtryRef><Amt Ccy="${currency}">${amount}</Amt>`,
    `<CdtDbtInd>${isDebit ? 'DBIT' : 'CRDT'}</CdtDbtInd>`,
    version < 4 ? `<Sts>${status}</Sts>` : `<Sts><Cd>${status}</Cd></Sts>`,
    bookedOn === null ? '' : `<BookgDt><Dt>${bookedOn}</Dt></BookgDt>`,
    '<ValDt><Dt>2026-11-24</Dt></ValDt>',
    id === undefined ? '' : `<AcctSvcrRef>${id}</AcctSvcrRef>`,
    more,
    '<NtryDtls>',
    announced === undefined ? '' : `<Btch><NbOfTxs>${announced}</NbOfTxs></Btch>`,
    ...transactions.map((transaction) => `<TxDtls>${transaction}</TxDtls>`),
    '</NtryDtls></Ntry>',
  ].join('');
}
