/** The provider says "visa 4242". */
export function cardWords(card: string): string {
  const [, initial, brand, digits] = /^(\w)(\w*) (\d{4})$/.exec(card) ?? [];
  return initial === undefined ? card : `${initial.toUpperCase()}${brand} •••• ${digits}`;
}
