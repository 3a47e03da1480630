// The letter that stands for a name where there is no logo: in windows' tabs and above the pages.

/** "C" of "contoso"; a name without letters has its first sign. */
export function nameInitial(name: string): string {
  const sign = /[\p{L}\p{N}]/u.exec(name)?.[0] ?? [...name.trim()][0] ?? '';
  return [...sign.toUpperCase()][0] ?? sign;
}
