// Formats openapi.json as it is committed: one field, parameter or reference per line, so that diffs are small.

const widthOfSmall = 240;
const widthOfOthers = 110;

export function documentText(document: object): string {
  return `${textOf(document, '', 0)}\n`;
}

function textOf(value: unknown, indent: string, before: number): string {
  const line = lineOf(value);
  if (typeof value !== 'object' || value === null) return line;
  if (line.length + before <= (depthOf(value) <= 2 ? widthOfSmall : widthOfOthers)) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((each) => inner + textOf(each, inner, inner.length + 1))
    : Object.entries(value).map(([name, each]) => {
        const start = `${inner}${JSON.stringify(name)}: `;
        return start + textOf(each, inner, start.length + 1);
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

function lineOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(lineOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${lineOf(each)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return (Array.isArray(value) ? 0 : 1) + Math.max(0, ...Object.values(value).map(depthOf));
}
