// docs/connections.md, "What it talks to", lists every file that opens an outgoing connection. The second half of this file
// adds a client on purpose. Scans by pattern: imports, `import()`, `require()`, `getBuiltinModule()` and the globals of
// fetch and WebSocket.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

type Sources = Readonly<Record<string, string>>;

/** Modules that can open connections, each with those of its names that cannot. */
const connecting: Readonly<Record<string, readonly string[]>> = {
  child_process: [],
  dgram: [],
  dns: [],
  'dns/promises': [],
  http: ['STATUS_CODES', 'createServer'],
  http2: [],
  https: [],
  inspector: [],
  net: ['BlockList', 'Server', 'createServer', 'isIP', 'isIPv4', 'isIPv6'],
  tls: [],
  iovalkey: [],
  nodemailer: [],
  pg: ['DatabaseError', 'Query', 'escapeLiteral'],
  stripe: [],
  undici: ['errors'],
};

/** Packages of the service that connect to nothing. Add a new one only after looking at its code. */
const silent = [
  '@electric-sql/pglite',
  '@fastify/accept-negotiator',
  '@fastify/compress',
  '@fastify/cookie',
  '@fastify/fast-json-stringify-compiler',
  '@fastify/static',
  '@fastify/swagger',
  // Except for its Pushgateway; see below.
  '@prometheus-io/client',
  '@zxcvbn-ts/language-common',
  'commander',
  'csv-parse',
  'csv-stringify',
  'dejavu-fonts-ttf',
  'fastify',
  'ibantools',
  'intl-messageformat',
  'ipaddr.js',
  'otpauth',
  'pdfkit',
  'pino',
  'saxes',
  'typebox',
];

const globals =
  /\bfetch\s*\(|\.fetch\b|\?\?\s*fetch\b|\b(?:WebSocket|EventSource|XMLHttpRequest|Pushgateway)\b|sendBeacon/;

function connects(source: string): boolean {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
  if (globals.test(code)) return true;
  const loaded = /\b(?:import|require)\s*\(\s*(?:\/\*.*?\*\/\s*)*'([^'.][^']*)'/g;
  if ([...code.matchAll(loaded)].some(([, module = '']) => harmlessOf(module) !== null)) return true;
  const imported = /^import\s+(?!type\b)([^'";]*?)\s*from\s*'([^'.][^']*)'/gm;
  const builtin = /\b(?:const|let)\s+(.*?)\s*=\s*process\.getBuiltinModule\('([^']*)'\)/g;
  return [...code.matchAll(imported), ...code.matchAll(builtin)].some(([, names = '', module = '']) => {
    const harmless = harmlessOf(module);
    return harmless !== null && usedNames(names, code).some((name) => !harmless.includes(name));
  });
}

/** Returns null if the module connects to nothing. */
function harmlessOf(module: string): readonly string[] | null {
  const name = module.replace(/^node:/, '');
  const found = Object.hasOwn(connecting, name) ? name : packageOf(name);
  if (Object.hasOwn(connecting, found)) return connecting[found] ?? [];
  const isBuiltin = module.startsWith('node:') || process.getBuiltinModule(name) !== undefined;
  return isBuiltin || silent.includes(found) ? null : [];
}

function packageOf(module: string): string {
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
}

/** `pg` counts by what is called, constructed or extended of it. "{ connect, type Socket }" counts as `connect`. */
function usedNames(names: string, code: string): string[] {
  const [, whole] = /^(?:\*\s*as\s+)?(\w+)\s*(?:,|$)/.exec(names) ?? [];
  const listed = /\{([\s\S]*)\}/.exec(names)?.[1] ?? '';
  const picked = listed
    .split(',')
    .map((one) => one.trim().split(/\s+as\s+|\s*:\s*/))
    .filter(([name = '']) => name !== '' && !name.startsWith('type '))
    .flatMap(([name = '', own = name]) => (name === 'Socket' && !madeOf(own, code) ? [] : [name]));
  if (whole === undefined) return picked;
  const members = [
    ...code.matchAll(new RegExp(`(?:new|extends)\\s+${whole}\\.(\\w+)|\\b${whole}\\.(\\w+)\\s*\\(`, 'g')),
  ].map(([, made, called]) => made ?? called ?? '');
  const asWhole = new RegExp(
    `=\\s*${whole}\\s*;|\\(${whole}[,)]|\\b(?:new|extends)\\s+${whole}\\b(?!\\.)|\\b${whole}\\s*\\(`,
  );
  return [...picked, ...members, ...(asWhole.test(code) ? [whole] : [])];
}

/** A socket that is used only as a type, or for its methods, was opened by another file. */
function madeOf(name: string, code: string): boolean {
  return new RegExp(`new\\s+${name}\\b`).test(code);
}

interface Listed {
  readonly cells: readonly string[];
  readonly files: readonly string[];
}

function listOf(page: string): Listed[] {
  const [, section = ''] = page.split('\n## What it talks to\n');
  const [table = ''] = section.split(/\n## /);
  return table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => ({
      cells: cells.map((cell) => cell.trim()),
      files: [...(cells.at(-1) ?? '').matchAll(/`([\w.-]+\.ts)`/g)].map(([, file = '']) => file),
    }));
}

function problemsOf(sources: Sources, page: string): string[] {
  const list = listOf(page);
  const listed = list.flatMap(({ files }) => files);
  const found = Object.entries(sources)
    .filter(([, source]) => connects(source))
    .map(([path]) => path);
  const names = found.map((path) => basename(path));
  return [
    ...found.filter((path) => !listed.includes(basename(path))).map((path) => `${path} is not in the list`),
    ...listed.filter((file) => !names.includes(file)).map((file) => `${file} opens no connection`),
    ...list
      .filter(({ cells, files }) => cells.length !== columnCount || cells.includes('') || files.length === 0)
      .map(({ cells }) => `"${cells[0]}" does not say everything`),
  ];
}

const columnCount = 7;
const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

describe('the service', () => {
  const files = globSync(['src/**/*.ts', 'sdk/src/**/*.ts', 'bin/*.mjs'], { cwd: root });
  // Leave out the starter, which only runs Node with the program.
  const sources = Object.fromEntries(
    files.filter((path) => path !== 'bin/sellthrough.mjs').map((path) => [path, read(path)]),
  );

  test('every file that opens an outgoing connection is in the list of docs/connections.md, and no other', () => {
    assert.ok(files.length > 400);
    assert.deepEqual(problemsOf(sources, read('docs/connections.md')), []);
  });

  test('of every dependency it is known whether it connects', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    const known = [...silent, ...Object.keys(connecting)];
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => !known.includes(name)),
      [],
    );
    assert.deepEqual(
      silent.filter((name) => !Object.hasOwn(dependencies, name)),
      [],
    );
  });
});

describe('a client that is added', () => {
  const page = (row: string) =>
    `# Security\n\n## What it talks to\n\n| To | For | By | TLS | Time | Guard | Files |\n|---|---|---|---|---|---|---|\n${row}\n\n## Next\n`;
  const row = '| Mail | mails | `SMTP_URL` | yes | 10 s | a setting | `mail.ts` |';
  const mail = "import { connect } from 'node:tls';\n";

  for (const [name, source] of [
    ['a socket', mail],
    ['a socket by its class', "import { Socket } from 'node:net';\nnew Socket().connect(1);"],
    ['a module as a whole', "import https from 'node:https';\nhttps.get(url);"],
    ['a module under a name', "import * as dns from 'node:dns';\nconst { lookup } = dns;"],
    ['a built-in module', "const http = process.getBuiltinModule('node:http');\nhttp.request(url);"],
    ['fetch', 'const answer = await fetch(url);'],
    ['fetch by the global object', 'const send = globalThis.fetch;'],
    ['a WebSocket', 'const socket = new WebSocket(url);'],
    ['a client of the outgoing package', "import { request } from 'undici';"],
    ['a pool', "import pg from 'pg';\nconst pool = new pg.Pool();"],
    ['a package without an entry', "import Twilio from 'twilio';\nnew Twilio(key);"],
    ['a package loaded late', "const { Redis } = await import('iovalkey');"],
    ['a part of a package', "const { default: Smtp } = await import('nodemailer/lib/smtp-connection');"],
    ['a program', "import { spawn } from 'node:child_process';\nspawn('curl');"],
  ] as const) {
    test(`${name} is found`, () => {
      assert.deepEqual(problemsOf({ 'src/mail.ts': mail, 'src/new.ts': source }, page(row)), [
        'src/new.ts is not in the list',
      ]);
    });
  }

  test('types, checks of addresses, servers and comments are no clients', () => {
    const source = `import type { Socket } from 'node:net';
import { createServer, isIP, type Server } from 'node:net';
import { type Dispatcher, errors } from 'undici';
import pg from 'pg';
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
// fetch(url) is not called
const isOurs = (error: unknown) => error instanceof pg.DatabaseError;`;
    assert.deepEqual(problemsOf({ 'src/mail.ts': mail, 'src/new.ts': source }, page(row)), []);
  });

  test('a row without its client, and one that leaves something out, are named', () => {
    assert.deepEqual(problemsOf({}, page(row)), ['mail.ts opens no connection']);
    const short = row.replace(' a setting ', ' ');
    assert.deepEqual(problemsOf({ 'src/mail.ts': mail }, page(short)), ['"Mail" does not say everything']);
  });
});
