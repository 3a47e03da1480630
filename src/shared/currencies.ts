// Which currencies a service can hold: those that people pay in and whose amounts have two decimals, as all amounts
// here have (amounts.ts). Asked before a new database is set up.

const twoDecimals = 2;

/**
 * Minor units of ISO 4217 where they are not two. Not asked of Intl: its digits say how prices are usually shown,
 * and leave out cents that exist (HUF, COP, PKR) or fils that do (IQD).
 */
const otherDecimals: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

/** Known to Intl or to ISO 4217, and nobody's money: metals, units of account, test codes. */
const noMoney = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX';

/** What is wrong with it, to follow the code: "has no decimals …". null: a service can hold it. */
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
