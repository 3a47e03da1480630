// What of a form is sent: the fields that whoever filled it has changed since it was filled. What somebody else changed
// meanwhile, or what was read anew, stays.

/** Fields are compared by their JSON. */
export function changedFields<Fields extends object>(before: Fields, now: Fields): Partial<Fields> {
  const known = new Map<string, unknown>(Object.entries(before));
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(known.get(name));
  return Object.fromEntries(Object.entries(now).filter(isChanged)) as Partial<Fields>;
}
