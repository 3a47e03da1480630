/** Writes IBANs and payment references in groups of four, as banks print them. */
export function inFours(text: string): string {
  return text.replace(/(.{4})(?=.)/g, '$1 ');
}
