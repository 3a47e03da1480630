export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
