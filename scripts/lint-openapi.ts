// Holds openapi.json against Spectral's OpenAPI rules, its OWASP ruleset, and Redocly's recommended rules. A step of
// `npm test`; by hand `node scripts/lint-openapi.ts`. Exit code 1 where a finding has no exception in openapi-rules.ts,
// or an exception has no finding: so the linters are seen to look.
// The linters are 180 packages of 80 MB that nothing else needs: they have a folder and a lockfile of their own and
// are installed by the first run, without install scripts (one of them reports installs to its maker).

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RuleException, ruleExceptions } from './docs/openapi-rules.ts';

interface Finding {
  readonly tool: RuleException['tool'];
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

const folder = fileURLToPath(new URL('openapi-lint/', import.meta.url));
const document = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');

installLinters();
const load = createRequire(join(folder, 'package.json'));
const findings = [...(await spectralFindings()), ...(await redoclyFindings())];
const isExcused = (finding: Finding) => ruleExceptions.some((exception) => excuses(exception, finding));
const unexcused = findings.filter((finding) => !isExcused(finding));
const idle = ruleExceptions.filter((exception) => !findings.some((finding) => excuses(exception, finding)));

for (const { tool, rule, path, message } of unexcused) console.log(`${tool} ${rule} at ${path}: ${message}`);
for (const { rule, place } of idle)
  console.log(`openapi-rules.ts excuses ${rule} for ${place}, where nothing is found any more.`);
console.log(`${findings.length} findings, ${unexcused.length} without a reason.`);
process.exitCode = unexcused.length + idle.length === 0 ? 0 : 1;

function excuses({ tool, rule, where }: RuleException, finding: Finding): boolean {
  return tool === finding.tool && rule === finding.rule && (where?.test(finding.path) ?? true);
}

function installLinters(): void {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && isCurrent(installed)) return;
  const { status, stdout, stderr, error } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'],
    { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' },
  );
  if (status !== 0) throw new Error(`The linters could not be installed: ${error ?? ''}${stdout}${stderr}`);
}

function isCurrent(installed: string): boolean {
  const versions = (path: string) => {
    const { packages } = JSON.parse(readFileSync(path, 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    return new Map(Object.entries(packages).map(([name, { version }]) => [name, version]));
  };
  const wanted = versions(join(folder, 'package-lock.json'));
  const present = versions(installed);
  return [...present].every(([name, version]) => wanted.get(name) === version) && present.size > 1;
}

async function spectralFindings(): Promise<readonly Finding[]> {
  const { Spectral, Document } = load('@stoplight/spectral-core');
  const { oas } = load('@stoplight/spectral-rulesets');
  const parsers = load('@stoplight/spectral-parsers');
  const owasp = load('@stoplight/spectral-owasp-ruleset');
  const spectral = new Spectral();
  spectral.setRuleset({
    extends: [
      [oas, 'recommended'],
      [owasp.default ?? owasp, 'all'],
    ],
  });
  const results: { code: string; message: string; path: (string | number)[] }[] = await spectral.run(
    new Document(document, parsers.Json, 'openapi.json'),
  );
  return results.map(({ code, message, path }) => ({
    tool: 'Spectral',
    rule: code,
    path: path.join('/'),
    message,
  }));
}

async function redoclyFindings(): Promise<readonly Finding[]> {
  const { lintFromString, createConfig } = load('@redocly/openapi-core');
  const config = await createConfig({ extends: ['recommended'] });
  const results: { ruleId: string; message: string; location: { pointer?: string }[] }[] =
    await lintFromString({ source: document, absoluteRef: 'openapi.json', config });
  return results.map(({ ruleId, message, location }) => ({
    tool: 'Redocly',
    rule: ruleId,
    path: location[0]?.pointer ?? '',
    message,
  }));
}
