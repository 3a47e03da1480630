// docs/openapi-rules.md, from the exceptions that lint-openapi.ts allows.

import { ruleExceptions } from './openapi-rules.ts';

export function rulesPage(): string {
  const rows = ruleExceptions.map(({ rule, place, why }) => `| \`${rule}\` | ${place} | ${why} |`);
  return `# Rules for openapi.json

\`node scripts/lint-openapi.ts\`, a step of \`npm test\`, checks [openapi.json](../openapi.json) against Redocly's
recommended rules and five of our own: every text, list and whole number has a limit, every text a form, and every operation
the errors 401, 429 and 500. A finding without a reason here fails the step, and so does a reason without a finding. Made by
\`npm run generate\` from [scripts/docs/openapi-rules.ts](../scripts/docs/openapi-rules.ts).

## Not followed, and why

| Rule | Where | Why |
|---|---|---|
${rows.join('\n')}

Every other rule is followed. The document at \`/panel/api/openapi.json\`, of the routes that only the service's own pages use, is
not checked against these rules.
`;
}
