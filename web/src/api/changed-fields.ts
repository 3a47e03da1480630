// Picks the form fields that the user changed. Only these are sent, so that a save keeps other people's changes.

export function changedFields<Fields extends object>(before: Fields, now: Fields): Partial<Fields> {
  const known = new Map<string, unknown>(Object.entries(before));
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(known.get(name));
  return Object.fromEntries(Object.entries(now).filter(isChanged)) as Partial<Fields>;
}
