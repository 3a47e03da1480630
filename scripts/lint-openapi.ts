// Checks openapi.json against Redocly's recommended rules and ours: every text, list and integer has limits, every text a
// format, every operation all its possible errors. A step of `npm test`; by hand `node scripts/lint-openapi.ts`. Exits with
// 1 for a finding without an exception in openapi-rules.ts, or an exception without a finding.
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { type RuleException, ruleExceptions } from './docs/openapi-rules.ts';

const ofType = (type: string) => ({
  subject: { type: 'Schema' },
  where: [{ subject: { type: 'Schema', property: 'type' }, assertions: { defined: true, const: type } }],
  severity: 'error',
});
const config = await createConfig({
  extends: ['recommended'],
  rules: {
    'rule/array-limit': { ...ofType('array'), assertions: { required: ['maxItems'] } },
    'rule/string-limit': {
      ...ofType('string'),
      assertions: { requireAny: ['maxLength', 'enum', 'const', 'format'] },
    },
    'rule/string-form': {
      ...ofType('string'),
      assertions: { requireAny: ['pattern', 'enum', 'const', 'format'] },
    },
    'rule/integer-limit': { ...ofType('integer'), assertions: { requireAny: ['maximum', 'enum', 'const'] } },
    'rule/errors-of-all': {
      subject: { type: 'Responses' },
      // Exempts webhooks, because the client's endpoint decides what it answers.
      where: [{ subject: { type: 'Operation', property: 'security' }, assertions: { defined: false } }],
      assertions: { required: ['401', '429', '500'] },
      severity: 'error',
    },
  },
} as Parameters<typeof createConfig>[0]);
const source = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');
const found = await lintFromString({ source, absoluteRef: 'openapi.json', config });
const findings = found.map(({ ruleId, message, location }) => ({
  rule: ruleId,
  path: location[0]?.pointer ?? '',
  message,
}));
type Finding = (typeof findings)[number];

const unexcused = findings.filter(
  (finding) => !ruleExceptions.some((exception) => excuses(exception, finding)),
);
const idle = ruleExceptions.filter((exception) => !findings.some((finding) => excuses(exception, finding)));

for (const { rule, path, message } of unexcused) console.log(`${rule} at ${path}: ${message}`);
for (const { rule, place } of idle)
  console.log(`openapi-rules.ts excuses ${rule} for ${place}, where nothing is found any more.`);
console.log(`${findings.length} findings, ${unexcused.length} without a reason.`);
process.exitCode = unexcused.length + idle.length === 0 ? 0 : 1;

function excuses({ rule, where }: RuleException, finding: Finding): boolean {
  return rule === finding.rule && (where?.test(finding.path) ?? true);
}
