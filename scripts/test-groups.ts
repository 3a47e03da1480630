// What scripts/test.ts has to know about single test files: which of the service tests must run on both databases, and
// which of those on PostgreSQL with its accounts in one group; which begin first because they take longest, which mostly
// wait, and which are no part of the gate. test/unit/test-groups.test.ts checks that every service test is in one of the
// two lists of databases.

/**
 * Service tests of what can differ between the databases: every route's statements once, plans, locks, transactions,
 * texts, numbers and time zones on their way there and back, and histories through all of it.
 */
export const onBothDatabases: readonly string[] = [
  'account-groups',
  'audits',
  'brand',
  'corruptions',
  'broken-rows',
  'endpoints',
  'entitlements',
  'events',
  'hand-off',
  'hostile-values',
  'housekeeping',
  'idempotency',
  'jobs',
  'kept-bodies',
  'key-moments',
  'keys',
  'lists-and-ids',
  'mail-delivery',
  'model',
  'model-of-hand-off',
  'operator-lists',
  'order-batches',
  'panel-query-plans',
  'password-links',
  'people',
  'people-moments',
  'people-roles',
  'people-upgrade',
  'plan-changes',
  'plan-life',
  'calls-needing-attention',
  'product-calls',
  'product-truth',
  'query-plans',
  'refunds',
  'reseal',
  'road',
  'roles-and-routes',
  'sensitive-actions',
  'spending',
  'statement-groups',
  'table-rules',
  'test-mode',
  'test-mode-budgets',
  'test-mode-moves',
  'test-mode-product',
  'test-mode-reset',
  'test-mode-traces',
  'upgrade',
  'verify',
  'webhooks',
  'young-statistics',
];

/**
 * Service tests of what happens before a statement is sent, or after its rows are there, and of more cases of statements
 * that run on both.
 */
export const onOneDatabase: readonly string[] = [
  'keys-of-the-other-mode',
  'account-view',
  'admin-accounts',
  'admin-records',
  'admin-refusals',
  'alert-mails',
  'audit-actors',
  'authentication',
  'auto-renewal',
  'behind-a-proxy',
  'connections',
  'corpora',
  'customer-edits',
  'dashboard',
  'demo-data',
  'docs-pages',
  'forecast',
  'fuzz',
  'generated-files',
  'hand-off-books',
  'hostile-requests',
  'languages',
  'limits-over-processes',
  'list-filters',
  'login-links',
  'login-to-product',
  'long-searches',
  'mail-languages',
  'million-rows',
  'model-of-test-mode',
  'observability',
  'operator-cancels',
  'order-bulk',
  'order-checks',
  'order-preview',
  'panel-access',
  'panel-console',
  'panel-doors',
  'panel-fuzz',
  'panel-ledger',
  'panel-limits',
  'panel-lists',
  'panel-orders',
  'panel-pages',
  'panel-request-log',
  'panel-sign-in',
  'ranks',
  'rate-limit-exact',
  'receipts',
  'refund-examples',
  'renewals',
  'request-limits',
  'scheduled-prices',
  'sdk',
  'secrets',
  'statements',
  'test-mode-engine',
  'webhook-setup',
];

/** How many account groups the databases of the run "in groups" have: fewer than the accounts of most tests. */
export const accountGroupsOfTests = 3;

/**
 * On PostgreSQL the tests that run on both databases find the accounts in several groups, in place of one: that is where a
 * statement can miss its table, and the embedded database has them in one group. These run with one group as well,
 * because there they promise something else, and each with its reason.
 */
export const alsoInOneGroup: Readonly<Record<string, string>> = {
  'order-batches': 'what two lanes of one group do to each other is the road of nearly every installation',
  'panel-query-plans': 'a plan over one table is another one than over a view of several',
  'query-plans': 'a plan over one table is another one than over a view of several',
};

/** Of those that run on both databases, what cannot be on Citus, and why (scripts/test-citus.ts). */
export const notOnCitus: Readonly<Record<string, string>> = {
  'panel-query-plans':
    'Citus plans each statement for its values, on each server: there is no plan for any values to look at',
  'query-plans':
    'Citus plans each statement for its values, on each server: there is no plan for any values to look at',
};

/** Statements that need not run on every database, each with its reason. */
export const statementsOfOnePlace: Readonly<Record<string, string>> = {};

/** What takes longest: begun late, it would be all that still runs at the end. */
const longest: readonly string[] = [
  'test/tools/restore-incarnation.test.ts',
  'test/tools/account-groups-divide.test.ts',
  'test/process/broken-database.test.ts',
  'test/process/process-life.test.ts',
  'test/tools/backup.test.ts',
  'test/tools/command-line.test.ts',
  'test/process/kill.test.ts',
  'test/tools/secret-key.test.ts',
  'test/process/two-processes.test.ts',
  'test/process/lost-commit.test.ts',
  'test/process/slow-clients.test.ts',
  'test/browser/every-page.test.ts',
  'test/browser/hostile-names.test.ts',
  'test/browser/doors.test.ts',
  'test/browser/console.test.ts',
  'test/browser/sign-in.test.ts',
  'test/browser/people.test.ts',
  'test/tools/package.test.ts',
  'test/tools/reference-samples.test.ts',
  'test/process/embedded-server.test.ts',
  'test/service/corpora.test.ts',
  'test/browser/docs-site.test.ts',
  'test/browser/first-order.test.ts',
  'test/browser/keyboard.test.ts',
  'test/tools/doctor.test.ts',
];

/** For a server that recovers, a limit that runs out, a process that starts: another may compute meanwhile. */
const waiting: ReadonlySet<string> = new Set([
  'test/process/broken-database.test.ts',
  'test/process/failover.test.ts',
  'test/process/long-migrations.test.ts',
  'test/process/lost-commit.test.ts',
  'test/process/slow-clients.test.ts',
  'test/tools/blesta-module.test.ts',
  'test/tools/whmcs-module.test.ts',
  'test/unit/sdk-transport.test.ts',
]);

/** Proofs that take long: they run when they are asked for by their whole path, as scripts/proof.ts does. */
export const proofs: ReadonlySet<string> = new Set(['test/process/test-clock-kill.test.ts']);

export function runsOnBothDatabases(file: string): boolean {
  return !onOneDatabase.some((name) => file === `test/service/${name}.test.ts`);
}

/** On PostgreSQL, with its accounts in several groups. */
export function runsInGroups(file: string): boolean {
  return runsOnBothDatabases(file);
}

/** On PostgreSQL, with all accounts in one group. */
export function runsInOneGroup(file: string): boolean {
  const also = Object.keys(alsoInOneGroup).some((name) => file === `test/service/${name}.test.ts`);
  return also || !runsInGroups(file);
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
