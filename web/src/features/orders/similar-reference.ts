// Detects likely typos of known references: the same name at another domain, or one or two different letters.

/** Ignores case and surrounding spaces, like the service. */
export function sameReference(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

export function isSimilar(typed: string, known: string): boolean {
  const [one, other] = [plain(typed), plain(known)];
  const [oneName = '', otherName = ''] = [one.split('@')[0], other.split('@')[0]];
  if (oneName === otherName) return true;
  const slips = (length: number) => (length < 4 ? 0 : length < 7 ? 1 : 2);
  return (
    distance(one, other) <= slips(Math.min(one.length, other.length)) ||
    distance(oneName, otherName) <= slips(Math.min(oneName.length, otherName.length))
  );
}

/** The first and last letters of the name. After one typo at least one of them is still right. */
export function fragments(typed: string): { readonly head: string; readonly tail: string } {
  const [name = ''] = plain(typed).split('@');
  return { head: name.slice(0, 3), tail: name.slice(-3) };
}

function plain(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** The number of letters that were changed, added, dropped or swapped. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1;
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      line.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (line[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + cost,
          isSwap && row > 1 && column > 1 ? (before[column - 2] ?? 0) + 1 : 9,
        ),
      );
    }
    before = above;
    above = line;
  }
  return above[other.length] ?? 0;
}
