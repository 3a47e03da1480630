// What scripts/test.ts has to know about single test files: which of the service tests must run on both databases, which
// begin first because they take longest, and which mostly wait. test/unit/test-groups.test.ts checks that every
// service test is in one of the two lists.

/**
 * Service tests of what can differ between the databases: statements, plans, locks, transactions, texts and numbers on
 * their way there and back, and histories through all of it.
 */
export const onBothDatabases: readonly string[] = [
  'admin-accounts',
  'admin-records',
  'audit-actors',
  'dashboard',
  'demo-data',
  'hostile-values',
  'housekeeping',
  'idempotency',
  'jobs',
  'lists-and-ids',
  'login-links',
  'model',
  'order-batches',
  'order-checks',
  'panel-ledger',
  'panel-orders',
  'panel-query-plans',
  'panel-request-log',
  'plan-changes',
  'query-plans',
  'refund-examples',
  'refunds',
  'renewals',
  'road',
  'secrets',
  'table-rules',
  'upgrade',
  'verify',
  'young-statistics',
];

/** Service tests of what happens before a statement is sent, or after its rows are there. */
export const onOneDatabase: readonly string[] = [
  'admin-refusals',
  'authentication',
  'behind-a-proxy',
  'corpora',
  'docs-pages',
  'endpoints',
  'fuzz',
  'generated-files',
  'hostile-requests',
  'login-to-product',
  'observability',
  'panel-access',
  'panel-console',
  'panel-doors',
  'panel-fuzz',
  'panel-pages',
  'panel-sign-in',
  'rate-limit-exact',
  'request-limits',
  'roles-and-routes',
  'sdk',
];

/** What takes longest: begun late, it would be all that still runs at the end. */
const longest: readonly string[] = [
  'test/process/broken-database.test.ts',
  'test/process/process-life.test.ts',
  'test/tools/backup.test.ts',
  'test/tools/command-line.test.ts',
  'test/process/kill.test.ts',
  'test/process/two-processes.test.ts',
  'test/process/lost-commit.test.ts',
  'test/process/slow-clients.test.ts',
  'test/browser/every-page.test.ts',
  'test/browser/hostile-names.test.ts',
  'test/browser/doors.test.ts',
  'test/browser/console.test.ts',
  'test/browser/sign-in.test.ts',
  'test/tools/package.test.ts',
  'test/tools/reference-samples.test.ts',
  'test/process/embedded-server.test.ts',
];

/** For a server that recovers, a limit that runs out, a process that starts: another may compute meanwhile. */
const waiting: ReadonlySet<string> = new Set([
  'test/process/broken-database.test.ts',
  'test/process/lost-commit.test.ts',
  'test/process/slow-clients.test.ts',
  'test/unit/sdk-transport.test.ts',
]);

export function runsOnBothDatabases(file: string): boolean {
  return !onOneDatabase.some((name) => file === `test/service/${name}.test.ts`);
}

export function waitsMostly(file: string): boolean {
  return waiting.has(file);
}

/** The longest first; the others as they came. */
export function longestFirst<T extends { readonly file: string | undefined }>(
  parts: readonly T[],
): readonly T[] {
  const place = ({ file }: T) => {
    const index = longest.indexOf(file ?? '');
    return index < 0 ? longest.length : index;
  };
  return [...parts].sort((a, b) => place(a) - place(b));
}
