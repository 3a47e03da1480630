// The text of an EPC QR code (EPC069-12, version 002), which banking apps scan to fill in a transfer. The scheme knows only
// euros.

import { formatAmount } from '../../../shared/amounts.ts';

interface EpcTransfer {
  readonly holder: string;
  readonly iban: string;
  readonly bic?: string | undefined;
  readonly amountCents: bigint;
  readonly currency: string;
  /** ISO 11649, without spaces. */
  readonly reference: string;
}

const holderCharactersMax = 70;
const bytesMax = 331;
const amountCentsMax = 99_999_999_999n;

/** null where the scheme has no code: another currency, or an amount outside 0.01 to 999,999,999.99. */
export function epcCode(transfer: EpcTransfer): string | null {
  const { amountCents, currency } = transfer;
  if (currency !== 'EUR' || amountCents < 1n || amountCents > amountCentsMax) return null;
  // A line end would shift what follows, such as the IBAN.
  let holder = [...transfer.holder.replace(/[\s\p{Cc}]+/gu, ' ').trim()].slice(0, holderCharactersMax);
  for (;;) {
    const text = [
      'BCD',
      '002',
      '1', // UTF-8
      'SCT',
      transfer.bic ?? '',
      holder.join('').trim(),
      transfer.iban,
      `EUR${formatAmount(amountCents)}`,
      '', // purpose
      transfer.reference,
    ].join('\n');
    if (Buffer.byteLength(text) <= bytesMax) return text;
    holder = holder.slice(0, -1);
  }
}
