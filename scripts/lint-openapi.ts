// Checks openapi.json against Redocly's recommended rules, and against ours: that every text, list and whole number has a
// limit, every text a form, and every operation the errors that any of them can end in. A step of `npm test`; by hand,
// `node scripts/lint-openapi.ts`. Exit code 1 where a finding has no exception in openapi-rules.ts, or an exception has no
// finding: so it is known that the linter looks. Needs no network.
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
      // What an endpoint of the client's answers to an event is the client's own.
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
