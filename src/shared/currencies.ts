// Decides which currencies a service can use: real ones with two decimals (amounts.ts). Checked before a database is set up.

const twoDecimals = 2;

/** ISO 4217 minor units. Intl's numbers are for display and omit cents (HUF, COP, PKR) or fils (IQD) that exist. */
const otherDecimals: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

/** ISO 4217 codes that are not money: metals, units of account, test codes. */
const noMoney = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX';

/** Continues a sentence that begins with the code: "has no decimals …"; null if the currency can be used. */
export function currencyProblem(code: string): string | null {
  const decimals = decimalsOf(code);
  if (noMoney.includes(code) || (decimals === twoDecimals && !isKnown(code)))
    return 'is not a currency that people pay in';
  if (decimals === twoDecimals) return null;
  return `has ${decimals === 0 ? 'no' : decimals} decimals, and amounts here have two`;
}

function decimalsOf(code: string): number {
  const found = Object.entries(otherDecimals).find(([, codes]) => codes.includes(code));
  return found === undefined ? twoDecimals : Number(found[0]);
}

function isKnown(code: string): boolean {
  return Intl.supportedValuesOf('currency').includes(code);
}
