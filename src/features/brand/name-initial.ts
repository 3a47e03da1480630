/** Returns "C" for "contoso". For a name without letters, its first character. */
export function nameInitial(name: string): string {
  const sign = /[\p{L}\p{N}]/u.exec(name)?.[0] ?? [...name.trim()][0] ?? '';
  return [...sign.toUpperCase()][0] ?? sign;
}
