// What scripts/test.ts knows about single test files: which service tests run on every database, which files start first
// because they take longest, and which mostly wait.

/**
 * Service tests that run on the embedded database and on PostgreSQL with several account groups. All others run once, on
 * PostgreSQL with one group. This list has tests of what can differ between databases (orders, migrations, query plans,
 * verification …) and those that statement-runs.ts needs to see every query everywhere.
 */
export const inEveryPlace: readonly string[] = [
  'account-groups',
  'account-prices',
  'alert-mails',
  'behind-a-proxy',
  'broken-rows',
  'corruptions',
  'customer-edits',
  'demo-data',
  'generated-files',
  'hand-off-books',
  'hostile-values',
  'housekeeping',
  'idempotency',
  'jobs',
  'kept-bodies',
  'limits',
  'login-links',
  'mail-delivery',
  'mail-languages',
  'million-rows',
  'model',
  'operator-cancels',
  'operator-lists',
  'order-batches',
  'panel-access',
  'panel-query-plans',
  'payment-books',
  'people',
  'product-truth',
  'query-plans',
  'receivables',
  'reseal',
  'road',
  'secrets',
  'statement-groups',
  'table-rules',
  'test-mode-product',
  'test-mode-traces',
  'topups',
  'upgrade',
  'verify',
  'webhook-setup',
  'webhooks',
];

/** The number of groups in the run "in groups". Most tests have more accounts, so they share groups. */
export const accountGroupsOfTests = 3;

/**
 * On PostgreSQL, the tests above run with several account groups, where a query can miss its table. These also run with one
 * group, for the given reason.
 */
export const alsoInOneGroup: Readonly<Record<string, string>> = {
  'order-batches': 'what two lanes of one group do to each other is the road of nearly every installation',
  'panel-query-plans': 'a plan over one table is another one than over a view of several',
  'query-plans': 'a plan over one table is another one than over a view of several',
};

export const notOnCitus: Readonly<Record<string, string>> = {
  'panel-query-plans':
    'Citus plans each statement for its values, on each server: there is no plan for any values to look at',
  'query-plans':
    'Citus plans each statement for its values, on each server: there is no plan for any values to look at',
};

/** Queries that need not run on every database: name patterns with reasons. */
export const statementsOfOnePlace: readonly (readonly [names: RegExp, reason: string])[] = [
  [
    /_apart$|^find_account_ids_by_key$|^find_account_of_(name|password_link|person)$|^find_entitled(_test)?_claim$|^find_(own_settings_for_test_account|test_account_id)$|^list_alerted_accounts$|^load_(test_)?holders|^load_own_customers$|^verify_(claimed_customers|references_of_account)$/,
    'on Citus only, where groups lie on several servers: proof/test-citus.ts',
  ],
  [
    /^(begin|end)_file_copy$|^(find|note|start)_demo$|^find_empty_database$|^find_process$|^list_(account_ids|current_keys)$|^replace_product_secret$|^verify_strays_of_orders$/,
    'first starts, backups, changes of the secret key, rows in a wrong group: the tests of test/process and test/tools send them',
  ],
  [
    /^draw_account_id$|^insert_numbered_account$|^find_account_of_login_link$|^verify_misplaced_accounts$|^verify_references_of_api_keys$/,
    'only where accounts are in several groups',
  ],
  [/^insert_account$/, 'only where accounts are in one group'],
  [/^list_tables_to_vacuum$/, 'only the embedded database, which has no autovacuum'],
  [/^list_service_sessions$/, 'only where other processes may use the database'],
  [
    /^count_due_renewals$|^count_skipped_event_numbers$|^load_last_test_orders_by_reference$|^revoke_api_key_secrets$|^verify_list_tests_in_use$/,
    'rare branches that no test reaches yet',
  ],
];

/** The longest files. If they started late, they would run alone at the end. */
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

/** These mostly wait for a recovering server, a timeout or a starting process, so other files can use the CPU. */
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

export function runsInEveryPlace(file: string): boolean {
  return inEveryPlace.some((name) => file === `test/service/${name}.test.ts`);
}

export function runsInOneGroup(file: string): boolean {
  const also = Object.keys(alsoInOneGroup).some((name) => file === `test/service/${name}.test.ts`);
  return also || !runsInEveryPlace(file);
}

export function waitsMostly(file: string): boolean {
  return waiting.has(file);
}

export function longestFirst<T extends { readonly file: string | undefined }>(
  parts: readonly T[],
): readonly T[] {
  const place = ({ file }: T) => {
    const index = longest.indexOf(file ?? '');
    return index < 0 ? longest.length : index;
  };
  return [...parts].sort((a, b) => place(a) - place(b));
}
