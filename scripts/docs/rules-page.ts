// Makes docs/openapi-rules.md from the exceptions that lint-openapi.ts allows.

import { ruleExceptions } from './openapi-rules.ts';

export function rulesPage(): string {
  const rows = ruleExceptions.map(({ rule, place, why }) => `| \`${rule}\` | ${place} | ${why} |`);
  return `# Rules for openapi.json

Check [openapi.json](../openapi.json) against Redocly's recommended rules and five of our own:

\`\`\`sh
node scripts/lint-openapi.ts
\`\`\`

Our rules: every text, list and whole number has a limit, every text has a form, and every operation has the errors 401, 429 and 500. The
check is a step of \`npm test\`. A finding without a reason in this table fails it, and so does a reason without a finding.
\`npm run generate\` makes this page from [scripts/docs/openapi-rules.ts](../scripts/docs/openapi-rules.ts).

## Exceptions

| Rule | Where | Why |
|---|---|---|
${rows.join('\n')}

Every other rule is followed. \`/panel/api/openapi.json\`, for the service's own pages, is not checked against these rules.
`;
}
