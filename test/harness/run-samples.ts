// Runs samples in one process, because starting Node takes most of a sample's time. {file, environment} → {code, output}.

import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

const write = process.stdout.write.bind(process.stdout);
let output = '';
process.stdout.write = (chunk: string | Uint8Array) => {
  output += String(chunk);
  return true;
};

for await (const line of createInterface({ input: process.stdin })) {
  const { file, environment }: { file: string; environment: Record<string, string> } = JSON.parse(line);
  Object.assign(process.env, environment);
  output = '';
  let code = 0;
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    code = 1;
    output += inspect(error);
  }
  write(`${JSON.stringify({ code, output })}\n`);
}
