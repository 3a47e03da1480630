// Writes the committed generated files: openapi.json, docs/reference/answers.jsonl, docs/errors.md, test/schema.sql, the
// tables in docs/log-events.md, configuration.md, scopes.md, asvs.md and sdk/README.md; then from-openapi.ts.
// With --check it writes nothing and fails if a file would change.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { statusOf } from '../src/platform/http/error-responses.ts';
import { errorCatalog } from '../src/shared/error-catalog.ts';
import { startStoryWorld } from './docs/api-story.ts';
import { withCalls } from './docs/client-calls.ts';
import { withConfiguration } from './docs/configuration-table.ts';
import { withLogEvents } from './docs/log-events.ts';
import type { OpenapiDocument } from './docs/openapi-document.ts';
import { documentText } from './docs/openapi-text.ts';
import { recordAnswers } from './docs/reference-answers.ts';
import { withRequirementCounts } from './docs/requirement-counts.ts';
import { rulesPage } from './docs/rules-page.ts';
import { withScopes } from './docs/scope-table.ts';
import { writeFromOpenapi } from './from-openapi.ts';
import { dumpSchema } from './schema-dump.ts';
import { startTestService } from './throwaway/test-service.ts';

const root = new URL('../', import.meta.url);
const isCheck = process.argv.includes('--check');

const service = await startTestService();
const openapi = (await (await fetch(`${service.address}/api/v1/openapi.json`)).json()) as OpenapiDocument;
const schema = await dumpSchema(service.database);
const { declaredRoutes } = service.service.app;
await service.close();
const openapiText = documentText(openapi);
// Write the file now: the service of the story checks its events against it.
if (!isCheck) writeFileSync(new URL('openapi.json', root), openapiText);
const world = await startStoryWorld();
const answers = await recordAnswers(openapi, world);
await world.service.close();

const files: Readonly<Record<string, string>> = {
  'openapi.json': openapiText,
  'docs/reference/answers.jsonl': answers,
  'docs/errors.md': errorTable(),
  'docs/openapi-rules.md': rulesPage(),
  'docs/log-events.md': withLogEvents(read('docs/log-events.md') ?? ''),
  'docs/configuration.md': withConfiguration(read('docs/configuration.md') ?? ''),
  'docs/scopes.md': withScopes(read('docs/scopes.md') ?? '', declaredRoutes),
  'docs/asvs.md': withRequirementCounts(read('docs/asvs.md') ?? ''),
  'test/schema.sql': schema,
  'sdk/README.md': withCalls(read('sdk/README.md') ?? '', openapi),
};

const stale = Object.entries(files).filter(([path, text]) => read(path) !== text);
if (isCheck) {
  for (const [path] of stale)
    process.stderr.write(`${path} is not what "npm run generate" makes of the sources.\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of stale) {
    mkdirSync(new URL('.', new URL(path, root)), { recursive: true });
    writeFileSync(new URL(path, root), text);
    process.stdout.write(`wrote ${path}\n`);
  }
  writeFromOpenapi();
}

function read(path: string): string | null {
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch {
    return null;
  }
}

function errorTable(): string {
  const rows = Object.entries(errorCatalog).map(
    ([code, { status, message }]) =>
      // The panel links to this anchor.
      `| ${status} | <a id="${code}"></a>\`${code}\` | ${message.replaceAll('<', '&lt;')} |`,
  );
  return `# Errors

Find what an error means, by its code. Every error answer has the same form:

\`\`\`json
{"error": {"code": "invalid_months", "message": "…", "details": {"field": "months", "reason": "…"}}}
\`\`\`

Decide by \`code\`, which is stable. \`message\` is for people: it holds the values of \`details\` where the table has \`{names}\`.
For a wrong field it names the field and the reason. \`details\` may be empty. What is worth a retry: [idempotency and
retries](idempotency.md#what-to-retry).

| Status | Code | Message |
|---|---|---|
${rows.join('\n')}

In the administrator's API \`insufficient_credit\` is ${statusOf('insufficient_credit', true)}: a debit that the balance does not cover.

## Details

| Code | \`details\` |
|---|---|
| errors of a field | \`field\`, \`reason\` |
| \`invalid_months\` for a period that the package is not sold for | also \`periods\`: the list of sold ones, by name |
| \`insufficient_credit\` | \`balance\`, \`required\`, \`currency\` |
| \`rate_limited\` | \`limit\`, \`window_seconds\`, \`retry_after\` |
| \`address_locked_out\` | \`address\` |
| \`order_failed\` | \`reason\`, one of those below |
| \`account_not_closable\` | \`reason\`: [what is open](operations.md#closing-an-account) |

| \`reason\` of \`order_failed\` | Meaning |
|---|---|
| \`plan_changed\` | the customer has changed package since the order to renew |
| \`term_too_long\` | the plan would end more than 10 years ahead |
| \`plan_running\` | another plan runs, so no trial is granted |
| \`plan_not_running\` | the plan has ended: nothing to cancel, change or renew automatically |
| \`same_package\` | the operator's change is to the package that runs already |
| \`order_pending\` | an order for the customer waits for the operator's product |
| \`account_halted\` | the account's ledger does not add up: the operator must run an audit |
| \`account_full\` | the account has 900,000,000 orders, customers or ledger entries: ask for a second account. A test account holds 10,000,000: reset it |

\`npm run generate\` writes this page.
`;
}
