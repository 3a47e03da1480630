// What scripts/test.ts knows about single test files: which service tests run on every database, which files start first
// because they take longest, and which mostly wait.

import { basename } from 'node:path';

/**
 * Service tests that run on the embedded database and on PostgreSQL with several account groups. All others run once, on
 * PostgreSQL with one group. This list has tests of what can differ between databases (orders, migrations, query plans,
 * verification …) and those that statement-runs.ts needs to see every query everywhere.
 */
export const inEveryPlace: readonly string[] = [
  'account-closing',
  'account-export',
  'account-groups',
  'account-prices',
  'alert-mails',
  'all-orders',
  'bank-statements',
  'auto-topups',
  'behind-a-proxy',
  'broken-rows',
  'channel-setup',
  'business',
  'corruptions',
  'customer-edits',
  'customer-erasure',
  'customer-export',
  'customer-references',
  'demo-data-refusal',
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
  'panel-streams',
  'payment-books',
  'payment-mails',
  'people',
  'product-truth',
  'query-plans',
  'receivables',
  'reseal',
  'retention',
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
  'weekly-summaries',
];

/**
 * On the embedded database, of these files only these tests run: those that statement-runs.ts needs, and those that
 * PostgreSQL skips. Files that are not here run whole.
 */
const onEmbedded: Readonly<Record<string, readonly string[]>> = {
  'account-closing': [],
  'account-export': ['an account without anything has empty files and a balance of zero'],
  'account-groups': [
    'of two administrators of different groups who block each other at the same moment one stays',
    'a database that cannot be taken as it is',
    'the embedded one holds all accounts in one group and ignores ACCOUNT_GROUPS',
  ],
  'account-prices': [],
  'alert-mails': [
    'alerts that a process of the previous version sets are mailed, once their addresses are confirmed',
  ],
  'all-orders': [],
  'auto-topups': [],
  'bank-statements': ['a return waits for its payment, which waits for a blocked account'],
  'behind-a-proxy': [
    'keys that no one holds are looked up per client, and for a /48 four times as often as for one of its /64',
  ],
  'broken-rows': ['a late notice that cannot be given stops no other notice, and is given once it can be'],
  business: [],
  'channel-setup': [
    'a step is done once the database says so',
    'a skipped step stays so until it is shown again, and a step that is done counts as done',
  ],
  corruptions: [
    'orders of a process of the previous version have no hash: the next one follows the last before them',
    '27: the entry of a debit in the audit log is deleted',
  ],
  'customer-edits': [],
  'customer-erasure': [
    'a customer with a long history',
    'is named in tables, events, logs, calls and the audit log',
    'is not erased while the plan runs or renews itself again',
    'is erased from every table once the job has run twice',
    'after a restore, those on the list are erased again, but not a customer who has their number now',
  ],
  'customer-export': [],
  'customer-references': [
    'no other customer can have a reference that is or was taken, in this account or another',
  ],
  'generated-files': [
    'the answers that the API reference shows are those of a service',
    'the schema that the migrations make is the committed test/schema.sql, on either database',
  ],
  'hand-off-books': ['rows of an account that does not exist are named'],
  'hostile-values': [
    'POST /orders: every kind of value in customer_name is answered by its code and creates nothing',
  ],
  housekeeping: [
    'when stopped, each kind says how much is left',
    'the console and /metrics show when a kind ran, when it runs next and what went wrong',
    'the embedded database is vacuumed table by table, and only where enough has changed',
  ],
  limits: [],
  'login-links': [],
  'mail-delivery': [
    'one click, without a session, and an address gets no more alerts; mail about security comes all the same',
    'what waits is sealed again with everything else when SECRET_KEY is replaced',
    'a mail that no one wants any more is not sent: after three days, or its own time',
    'an address gets so many an hour, and keeps no other waiting',
    'where no one knows whether a mail was taken, it is not sent again, and the log says so',
  ],
  'mail-languages': [
    'a mail has the operator’s name, color, logo and address for answers, as they are when it is sent',
    'where no browser asks, a colleague’s invitation is in the account’s language, and the first one in the operator’s',
  ],
  'million-rows': [],
  'order-batches': [
    'orders that arrive together',
    'one order costs exactly two round trips',
    'however many orders a batch holds, it costs two round trips',
    '200 parallel orders of 10.00 against a credit of 70.00 give exactly 7',
    'a batch answers as its orders one after another would',
    'a batch that one order breaks',
    'is answered 500 for that order alone, and the others of the batch succeed',
    'leaves nothing behind: the same customer and key succeed once the data is mended',
  ],
  'operator-cancels': [
    'the operator cancels a plan once: the account gets the refund, the event and the history name the operator',
  ],
  'operator-lists': [
    'the audit log is found by who acted, whose it was, what was done and to what, and names what it is about',
    'accounts and people are found by e-mail, keys by their last four; a reseller finds its own alone',
  ],
  'panel-access': [
    'the key is shown for the password only, and the audit log notes it',
    'a sensitive action names the password it lacks, refuses a wrong one, and is done with the right one',
    'sessions are listed with the current one, and each can be ended, or all others',
    'codes are switched off with the password and a code, or a recovery code',
  ],
  'panel-query-plans': [
    'no statement of the panel scans a table that grows, planned while it is young or when it has grown',
  ],
  'panel-streams': [
    'an operator also follows calls and payment problems; one who views a panel follows that account only',
    'a stream ends with its session, with a block of its account and with a changed role',
  ],
  'payment-books': [],
  'payment-mails': ['a card that needs its holder is mailed with a link, and one that fails three times'],
  people: [
    'a person changes their own password and address, and ends no one else’s sessions',
    'a person chooses the clock of the panel, and everybody else keeps theirs',
  ],
  'product-truth': [
    'after a call was done by hand while an earlier one waited for its next attempt',
    'the last call that the product took equals the entitlement',
    'ends of plans',
    'an end whose plan was extended before the call was sent is not sent',
    'after an old call was sent again alone, while the product takes a renewal whose answer was lost',
  ],
  receivables: [],
  reseal: [
    'a code that is spent while its secret is sealed again counts, once',
    'everything is sealed again in pieces, from any state before, and opens at every moment',
  ],
  retention: [
    'the customers of a closed account',
    'stay for good at first, and until the days are over',
    'are looked for once, and those of an account that is closed later have their own time',
    'are erased then, as by a request: names go everywhere, orders and money stay',
    'audit addresses: old entries lose the address of the client, everything else stays, and the books are in order',
  ],
  secrets: [
    'neither another account nor the administrator is shown a secret',
    'no table and no file of the database holds a secret in the clear',
    'secrets are used in every way, and misused',
  ],
  'statement-groups': [],
  'test-mode-product': [
    'once the product answers tests again, their delayed calls go out at once',
    'nothing waits for the product of a test that was reset',
  ],
  'test-mode-traces': [
    'the product knows test customers with a test key of the operator’s, and with no other',
    'from the second of a reset on no link, code or session of the former test is good, and it is sent nothing',
    'figures are of real business: no delivery and no refusal of a test is counted',
  ],
  topups: [
    'the operator sees all top-ups, and which payments need attention',
    'a blocked account gets its money when it is open again',
  ],
  upgrade: [
    'an upgrade keeps every row and makes history of trials and suspensions',
    'an upgrade finds the completed order behind each plan: none of a trial, and not one that failed or waits',
    'the idempotency keys of the first edition are replayed, and are refused with other orders',
    'a database that ran a text which was replaced before a release is taken as it is, one that ran another is not',
  ],
  'webhook-setup': ['secrets are sealed, and are sealed again with everything else'],
  webhooks: [
    'an endpoint that fails',
    'an event that its endpoint always refuses is set aside, and tried again beside the others',
    'five days of nothing but failures switch it off; mended and switched on, it is sent everything it missed',
  ],
  'weekly-summaries': ['the operator is mailed about all accounts, with those whose balance runs out'],
};

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

/** Files of which only the named tests also run with one group. */
const withOneGroup: Readonly<Record<string, readonly string[]>> = {
  'order-batches': [
    'orders that arrive together',
    'one order costs exactly two round trips',
    'however many orders a batch holds, it costs two round trips',
    '200 parallel orders of 10.00 against a credit of 70.00 give exactly 7',
    'of two accounts that claim one new customer in parallel one wins, and nothing deadlocks',
    'of two claims that both found the customer free, the later is decided again',
    'a batch that one order breaks',
    'is answered 500 for that order alone, and the others of the batch succeed',
  ],
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
    /^(begin|end)_file_copy$|^note_backup$|^(find|note|open|start)_demo$|^find_empty_database$|^find_process$|^list_(account_ids|current_keys)$|^replace_product_secret$|^verify_strays_of_orders$/,
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

/**
 * Files that only `npm test -- --whole` and the proof run. The comments say what the gate has in their place.
 * Single tests have `@nightly` in their titles.
 */
const nightlyFiles: ReadonlySet<string> = new Set([
  // It counts clicks; the tests of each page do these tasks.
  'test/browser/daily-tasks.test.ts',
  // These test details of single pages. every-page opens each of those pages.
  'test/browser/clock.test.ts',
  'test/browser/list-views.test.ts',
  'test/browser/package-periods.test.ts',
  'test/browser/retention.test.ts',
  'test/browser/seen.test.ts',
  'test/browser/theme.test.ts',
  // channel-setup tests each step, and first-order places an order in a browser.
  'test/browser/open-channel.test.ts',
  // test/process/look-around enters the same demo in each role, without a browser.
  'test/browser/look-around.test.ts',
  // lost-commit breaks connections around COMMIT, and two-processes kills a process.
  'test/process/broken-database.test.ts',
  // lost-commit has a database that stays away.
  'test/process/failover.test.ts',
  // The same program runs from the checkout, and lockfile.test.ts knows what the package brings along.
  'test/tools/package.test.ts',
  // hand-off and product-truth call a product that the test itself holds.
  'test/tools/small-product.test.ts',
  // openapi-names and the rules of openapi.json look at what generators need. They install 10,000 files of their own.
  'test/tools/generated-clients.test.ts',
  // Every gate sets up a fresh clone with these scripts.
  'test/tools/set-up.test.ts',
  // test-mode-traces and keys-of-the-other-mode look for a trace of each mode in the other.
  'test/process/test-mode-crowd.test.ts',
]);

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
  'test/service/corruptions.test.ts',
  'test/service/hostile-requests.test.ts',
  'test/tools/blesta-module.test.ts',
  'test/tools/whmcs-module.test.ts',
  'test/unit/sdk-transport.test.ts',
]);

export function runsNightly(file: string): boolean {
  return nightlyFiles.has(file);
}

export function runsInEveryPlace(file: string): boolean {
  return inEveryPlace.some((name) => file === `test/service/${name}.test.ts`);
}

export function runsEmbedded(file: string): boolean {
  return runsInEveryPlace(file) && testsIn('embedded', file)?.length !== 0;
}

/** Titles of tests and suites; undefined for all. */
export function testsIn(group: string, file: string): readonly string[] | undefined {
  const lists: Readonly<Record<string, typeof onEmbedded>> = { embedded: onEmbedded, postgres: withOneGroup };
  return lists[group]?.[basename(file, '.test.ts')];
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
