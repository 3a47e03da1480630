// docs/openapi-rules.md, made from the list of exceptions that lint-openapi.ts allows.

import { ruleExceptions } from './openapi-rules.ts';

export function rulesPage(): string {
  const rows = ruleExceptions.map(
    ({ tool, rule, place, why }) => `| ${tool} \`${rule}\` | ${place} | ${why} |`,
  );
  return `# Rules for openapi.json

\`node scripts/lint-openapi.ts\`, a step of \`npm test\`, checks [openapi.json](../openapi.json) against Spectral's OpenAPI rules,
Spectral's ruleset for OWASP's API Security Top 10 (2023), and Redocly's recommended rules. Every finding without a reason
here fails the step, and so does a reason without a finding. Made by \`npm run generate\` from
[scripts/docs/openapi-rules.ts](../scripts/docs/openapi-rules.ts).

## Not followed, and why

| Rule | Where | Why |
|---|---|---|
${rows.join('\n')}

Every other rule is followed. The document at \`/panel/api/openapi.json\`, of the routes that only the service's own pages use, is
not checked against these rules.
`;
}
