// A name as SQL takes it.

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
