// Checks openapi.json against Spectral's OpenAPI rules, its OWASP ruleset, and Redocly's recommended rules. A step of
// `npm test`; by hand, `node scripts/lint-openapi.ts`. Exit code 1 where a finding has no exception in
// openapi-rules.ts, or an exception has no finding: so it is known that the linters look. Needs no network.
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Document, Ruleset, Spectral } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import parsers from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { type RuleException, ruleExceptions } from './docs/openapi-rules.ts';

interface Finding {
  readonly tool: RuleException['tool'];
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

const document = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');

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

async function spectralFindings(): Promise<readonly Finding[]> {
  const spectral = new Spectral();
  spectral.setRuleset(
    new Ruleset({
      extends: [
        [oas, 'recommended'],
        [owasp, 'all'],
      ],
    }),
  );
  const results = await spectral.run(new Document(document, parsers.Json, 'openapi.json'));
  return results.map(({ code, message, path }) => ({
    tool: 'Spectral',
    rule: String(code),
    path: path.join('/'),
    message,
  }));
}

async function redoclyFindings(): Promise<readonly Finding[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const results = await lintFromString({ source: document, absoluteRef: 'openapi.json', config });
  return results.map(({ ruleId, message, location }) => ({
    tool: 'Redocly',
    rule: ruleId,
    path: location[0]?.pointer ?? '',
    message,
  }));
}
