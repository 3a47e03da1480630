// Reads the elements of a camt.053 or camt.054 file into small trees, one for each transaction, so that a large file never
// is a tree as a whole. Only the names that camt-reader.ts uses are kept.

import { BankFileRefused } from './bank-statement.ts';
import { readStrictXml } from './strict-xml.ts';

export interface CamtElement {
  readonly name: string;
  readonly line: number;
  /** The attribute `Ccy`. */
  readonly currency: string | null;
  text: string;
  children: CamtElement[];
}

export interface CamtHandlers {
  /** `TxDtls`, before its entry is complete. */
  detail(element: CamtElement): void;
  /** `Ntry` without its `TxDtls`. The statement holds what came before it. */
  entry(element: CamtElement, statement: CamtElement): void;
  statement(element: CamtElement): void;
}

export type CamtKind = 'statement' | 'notification';

const keptNames = new Set(
  `AcctSvcrRef Acct AddtlNtryInf AddtlRmtInf AddtlTxInf Amt AmtDtls BkTxCd BookgDt Btch Ccy Cd CdtDbtInd Cdtr CdtrAcct
  CdtrRef CdtrRefInf Dbtr DbtrAcct Domn Dt DtTm EndToEndId Fmly IBAN Id Issr Nb NbOfTxs Nm Ntry NtryDtls Othr PrtryAcct
  Prtry Pty Ref Refs RfrdDocInf RltdPties RmtInf RtrInf RvslInd Sts Strd SubFmlyCd TxAmt TxDtls UltmtCdtr UltmtDbtr Ustrd
  ValDt`.split(/\s+/),
);
/** No real transaction comes near; a file that nests millions of elements in one would fill the memory. */
const elementsOfOneMax = 20_000;

const messages: Readonly<Record<string, { readonly kind: CamtKind; readonly child: string }>> = {
  BkToCstmrStmt: { kind: 'statement', child: 'Stmt' },
  BkToCstmrDbtCdtNtfctn: { kind: 'notification', child: 'Ntfctn' },
};

/** In any version and namespace, with any prefix and envelope. @throws BankFileRefused */
export function readCamtEntries(text: string, handlersOf: (kind: CamtKind) => CamtHandlers): void {
  // `envelope` has the open elements down to the message, `open` those from the statement on that are kept.
  const envelope: string[] = [];
  let message: { space: string; child: string; handlers: CamtHandlers } | null = null;
  let open: CamtElement[] = [];
  let skippedDepth = 0;
  let elements = 0;
  let hasMessage = false;

  function openElement(name: string, space: string, currency: string | null, line: number): void {
    const parent = open.at(-1);
    if (skippedDepth > 0) skippedDepth += 1;
    else if (message === null) openEnvelope(name, space, line);
    else if (parent === undefined) {
      if (name === message.child && space === message.space)
        open = [{ name, line, currency, text: '', children: [] }];
      else skippedDepth = 1;
    } else if (!keptNames.has(name) || space !== message.space) skippedDepth = 1;
    else {
      if (name === 'Ntry' || name === 'TxDtls') elements = 0;
      elements += 1;
      if (elements > elementsOfOneMax)
        throw new BankFileRefused('malformed', line, 'this transaction has too many elements.');
      const element: CamtElement = { name, line, currency, text: '', children: [] };
      parent.children.push(element);
      open.push(element);
    }
  }

  function openEnvelope(name: string, space: string, line: number): void {
    const [, stem = ''] = /^(BkToCstmr\w+?)(?:V\d+)?$/.exec(name) ?? [];
    const known = Object.hasOwn(messages, stem) ? messages[stem] : undefined;
    if (envelope.at(-1) === 'Document' && known === undefined) throw unsupported(name, line);
    if (envelope.at(-1) === 'Document' && known !== undefined) {
      message = { space, child: known.child, handlers: handlersOf(known.kind) };
      hasMessage = true;
    }
    envelope.push(name);
  }

  function closeElement(): void {
    if (skippedDepth > 0) {
      skippedDepth -= 1;
      return;
    }
    const element = open.pop();
    if (element === undefined || message === null) {
      envelope.pop();
      message = null;
      return;
    }
    const parent = open.at(-1);
    if (parent === undefined) message.handlers.statement(element);
    else if (element.name === 'TxDtls') {
      parent.children.pop();
      message.handlers.detail(element);
    } else if (element.name === 'Ntry') {
      parent.children.pop();
      message.handlers.entry(element, parent);
    }
  }

  readStrictXml(text, {
    open: openElement,
    text: (part) => {
      const element = skippedDepth > 0 ? undefined : open.at(-1);
      if (element !== undefined) element.text += part;
    },
    close: closeElement,
  });
  if (!hasMessage)
    throw new BankFileRefused('unsupported_message', null, 'The file has no camt.053 or camt.054 message.');
}

function unsupported(name: string, line: number): BankFileRefused {
  const what = name.startsWith('BkToCstmrAcctRpt') ? 'a camt.052 report' : `a message of the kind ${name}`;
  return new BankFileRefused(
    'unsupported_message',
    line,
    `the file has ${what}. Upload the statements (camt.053) or notifications (camt.054).`,
  );
}
