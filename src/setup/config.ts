// Reads and checks the configuration (environment and .env) once. A malformed value stops the start. `defaultLimits` holds
// limits that operators need not change; units are in their names.

import type { CancelRefund } from '../features/order-engine/records/plan-life.ts';
import type { ValkeyAddress } from '../platform/limits/valkey-address.ts';
import type { MailSettings } from '../platform/mail/send-mails.ts';
import { passwordCost } from '../platform/secrets/password-hash.ts';
import { isMailAddress } from '../shared/mail-addresses.ts';
import type { NamedRole } from '../shared/scopes.ts';
import {
  ConfigProblem,
  type Environment,
  type LogLevel,
  readSettings,
  type SettingValues,
} from './settings.ts';

export type DatabaseConfig =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | { readonly kind: 'postgres'; readonly connectionString: string };

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. null: derived from host and port. */
  readonly publicUrl: string | null;
  readonly database: DatabaseConfig;
  /** null: generated and kept in the data folder. */
  readonly secretKey: string | null;
  /** For decryption only, while SECRET_KEY is being replaced. */
  readonly secretKeyPrevious: string | null;
  readonly currency: string;
  readonly trustProxy: readonly string[];
  /** Private addresses and CIDR ranges that the service may call. */
  readonly outboundAllow: readonly string[];
  /** Where Stripe is called. null: its own address. */
  readonly stripeApiBase: string | null;
  readonly administrator: {
    readonly username: string;
    readonly password: string | null;
    readonly apiKey: string | null;
  };
  readonly demo: boolean;
  readonly testRowsMax: number;
  readonly logLevel: LogLevel;
  /** null: requests are logged unless standard output is a terminal. */
  readonly logRequests: boolean | null;
  readonly linkValidSeconds: number;
  readonly productUrl: string | null;
  readonly cancelRefund: CancelRefund;
  readonly statementIssuer: readonly string[];
  readonly secondFactorRoles: ReadonlySet<NamedRole>;
  /** Credits above this amount require the password in the console. */
  readonly creditConfirmedAboveCents: bigint;
  readonly mail: MailSettings | null;
  /** The server on which processes share limits; null: each process counts for itself. */
  readonly valkey: ValkeyAddress | null;
  /** Start even if the server may lose acknowledged orders: for experiments. */
  readonly allowUnsafeDatabase: boolean;
  /** The number of shards of a new database; an existing one must match. null: any. */
  readonly accountGroups: number | null;
}

/** Tests pass other limits. */
export type Limits = typeof defaultLimits;

export const defaultLimits = {
  engine: {
    batchOrdersMax: 512,
    queueDepthMax: 20_000,
    // Long enough to give up a frozen connection and settle its batch on another.
    waitMilliseconds: 6_000,
    retryMilliseconds: 100,
    // Orders in test mode beside real ones get a fifth of the time (docs/decisions/0042-test-mode.md).
    tests: {
      queueDepthMax: 2_000,
      batchOrdersMax: 512,
      restFactor: 4,
      restMillisecondsMax: 2_000,
      busyMilliseconds: 1_000,
    },
  },
  testClock: { stepsAtOnce: 2_048, stepsBesideOrders: 256, workMilliseconds: 30_000, holdSeconds: 10 },
  database: {
    // The number of lanes: one, for few and large batches (docs/decisions/0010-one-lane.md).
    orderConnections: 1,
    lookupConnections: 4,
    readConnections: 4,
    connectMilliseconds: 2_000,
    // Several hosts in DATABASE_URL (docs/decisions/0043-failover.md).
    hosts: {
      answerMilliseconds: 1_500,
      patienceMilliseconds: 500,
      retryMilliseconds: 100,
      lookMilliseconds: 5_000,
    },
    answerMilliseconds: 2_500,
    readMilliseconds: 5_000,
    // Reads during orders (docs/decisions/0013-orders-first.md).
    readThrottle: {
      restFactor: 4,
      restMillisecondsMax: 250,
      quietMilliseconds: 20,
      busyShareMin: 0.4,
      shareMilliseconds: 250,
      waitMilliseconds: 10_000,
    },
    // Watches long transactions from another connection.
    heartbeatMilliseconds: 5_000,
    heartbeatsMissedMax: 4,
    noticeMilliseconds: 10_000,
    idleInTransactionMilliseconds: 1_000,
    listenAnswerMilliseconds: 1_000,
    locateMilliseconds: 5_000,
    closeMilliseconds: 2_000,
    // The embedded database's one session (docs/decisions/0013-orders-first.md).
    queue: {
      restFactor: 4,
      restMillisecondsMax: 1_000,
      quietMilliseconds: 2,
      waitingMax: 1_000,
      waitMilliseconds: 10_000,
    },
  },
  http: {
    headersMilliseconds: 10_000,
    requestMilliseconds: 20_000,
    keepAliveMilliseconds: 65_000,
    idleMilliseconds: 120_000,
    pipelinedMax: 64,
    pipelinedHeldMax: 10_000,
    unreadBytesMax: 1_048_576,
    lingerMilliseconds: 2_000,
    connectionsMax: 8_000,
    headerBytesMax: 16_384,
  },
  rates: {
    accountsMax: 100_000,
    failuresPerMinute: 300,
    refusalsPerMinute: 300,
    accessChangesPerHour: 30,
    addressesMax: 20_000,
    sessionRequestsPerMinute: 600,
    panelRequestsPerMinute: 1_800,
    sessionsMax: 20_000,
  },
  // docs/decisions/0045-shared-limits.md.
  sharedLimits: {
    answerMilliseconds: 50,
    restMilliseconds: 1_000,
    connectMilliseconds: 1_000,
    leaseMilliseconds: 500,
    operationsPerCall: 500,
  },
  // Limits of requests that wait for an event. Further requests are answered at once.
  eventWaits: { waitingMax: 1_000, waitingOfAccountMax: 20, pollMilliseconds: 500 },
  // Event streams of the panel in this process (docs/decisions/0082-event-stream-of-the-panel.md).
  panelStreams: {
    ofSessionMax: 10,
    ofAccountMax: 100,
    max: 1_000,
    watchMilliseconds: 1_000,
    checkMilliseconds: 5_000,
    heartbeatMilliseconds: 10_000,
    topicMilliseconds: 2_000,
    openMilliseconds: 900_000,
    unreadBytesMax: 16_384,
  },
  productCalls: {
    callsMax: 128,
    callsMaxUnanswered: 4,
    tests: { callsMax: 25, callsMaxUnanswered: 1 },
    pollMilliseconds: 500,
    writeMilliseconds: 20,
    stopMilliseconds: 1_000,
  },
  productCallsKeptSeconds: 30 * 86_400,
  planEnds: { plansAtOnce: 64, restMillisecondsMax: 1_000 },
  // Lists and long reads (exports, verifications) that an account runs at once in the panel.
  lists: { atOnceMax: 2, waitingMax: 100, waitMilliseconds: 10_000 },
  exports: { atOnceMax: 2, waitingMax: 4, waitMilliseconds: 30_000 },
  // A PDF of this length takes about four seconds of one processor.
  pdfEntriesMax: 5_000,
  // Exports of all accounts together, because a PDF is CPU work.
  exportsOfAll: { atOnceMax: 4, waitingMax: 100, waitMilliseconds: 30_000 },
  bulks: {
    // Bulks submit windows much smaller than a batch, so that a batch serves several bulks (docs/decisions/0031-bulk.md).
    windowOrders: 100,
    // Bulks between their first body byte and the answer. Both waits together stay below requestMilliseconds.
    ofAccount: { atOnceMax: 4, waitingMax: 20, waitMilliseconds: 5_000 },
    ofAll: { atOnceMax: 32, waitingMax: 1_000, waitMilliseconds: 5_000 },
  },
  sessions: { idleSeconds: 12 * 3600, absoluteSeconds: 14 * 86_400, perAccountMax: 50 },
  accountViewSeconds: 3600,
  attempts: {
    freeFailures: 5,
    waitSecondsMax: 60,
    forgetSeconds: 3_600,
    neighborhoodFailuresMax: 50,
    windowSeconds: 600,
    freeCodeFailures: 10,
    codeWaitSecondsMax: 300,
    rememberedMax: 50_000,
  },
  signIns: { enteredMax: 20, windowSeconds: 3_600, pendingMax: 100 },
  passwordCost,
  requestLog: {
    // Per flush: more lines than all resellers normally cause, for less than a tenth of the database's work.
    linesMax: 1_000,
    refusedLinesMax: 200,
    linesPerStatement: 500,
    flushMilliseconds: 1_000,
    keptPerAccountMax: 100_000,
    // Each exchange has at most 9 KiB.
    exchangesMax: 250,
    exchangesPerAccountMax: 10_000,
    refusalsKeptDays: 400,
  },
  verify: {
    // Below the common proxy timeout of 60 s.
    waitMilliseconds: 50_000,
    lingerMilliseconds: 30_000,
    keptMilliseconds: 600_000,
  },
  jobs: {
    // After this time, a dead process is replaced, and a process that stalled loses its work.
    leaseSeconds: 10,
    renewMilliseconds: 3_000,
    pollMilliseconds: 15_000,
    pollMillisecondsMin: 1_000,
    retrySecondsMin: 5,
    retrySecondsMax: 900,
    pauseSecondsMin: 1,
    stopMilliseconds: 2_000,
    // Deliveries, real product calls and test product calls run continuously. Three other jobs can run beside them.
    runsAtOnceMax: 6,
  },
  // Each job runs in one process at a time. A run that reaches its limit continues after a pause.
  scheduledJobs: {
    renewals: { everySeconds: 60, runSecondsMax: 30 },
    alertMails: { everySeconds: 30, runSecondsMax: 30 },
    planEnds: { everySeconds: 60, runSecondsMax: 30 },
    // Runs continuously while there is a product; otherwise checks for one.
    productCalls: { everySeconds: 30, runSecondsMax: 86_400 },
    oldProductCalls: { everySeconds: 3_600, runSecondsMax: 30 },
    oldEvents: { everySeconds: 3_600, runSecondsMax: 30 },
    dailyTotals: { everySeconds: 60, runSecondsMax: 30 },
    listIndexes: { everySeconds: 60, runSecondsMax: 30 },
    // The next reset of a test account may have to wait for this job.
    discardedTests: { everySeconds: 15, runSecondsMax: 30 },
    // What was erased is still in logs until this job has run.
    erasures: { everySeconds: 15, runSecondsMax: 60 },
    expiredLogins: { everySeconds: 3_600, runSecondsMax: 30 },
    expiredSessions: { everySeconds: 3_600, runSecondsMax: 30 },
    requestLog: { everySeconds: 3_600, runSecondsMax: 30 },
    retention: { everySeconds: 3_600, runSecondsMax: 30 },
    vacuum: { everySeconds: 60, runSecondsMax: 30 },
    // Runs continuously while there are endpoints; otherwise checks for any.
    deliveries: { everySeconds: 30, runSecondsMax: 86_400 },
    deliveryLog: { everySeconds: 3_600, runSecondsMax: 30 },
    payments: { everySeconds: 60, runSecondsMax: 60 },
    autoTopups: { everySeconds: 15, runSecondsMax: 30 },
    // A person may be waiting for a link.
    mail: { everySeconds: 15, runSecondsMax: 60 },
    audit: { runSecondsMax: 4 * 3_600 },
  },
  mail: {
    perRunMax: 100,
    atOnceMax: 20,
    perRecipientHourMax: 20,
    perAccountHourMax: 100,
    keptTryingSeconds: 3 * 86_400,
    retrySecondsMin: 60,
    retrySecondsMax: 4 * 3_600,
    unknownAfterSeconds: 600,
    silenceMilliseconds: 15_000,
    sendMilliseconds: 60_000,
  },
  peoplePerAccountMax: 100,
  // How long a password confirmation is valid (docs/decisions/0041-people-and-roles.md).
  reauthenticatedSeconds: 300,
  passwordLinks: {
    resetValidSeconds: 3_600,
    invitationValidSeconds: 7 * 86_400,
    restSeconds: 300,
    // How many people get mail if they share the address: in total, and of one account.
    peopleMax: 10,
    peopleOfAccountMax: 2,
    pendingMax: 100,
  },
  // An address counts as new after this long without a sign-in.
  knownAddressSeconds: 90 * 86_400,
  renewals: { plansAtOnce: 64, restMillisecondsMax: 1_000 },
  // docs/decisions/0038-webhooks.md.
  deliveries: {
    promptMax: 256,
    laggardsMax: 64,
    // An account may have ten endpoints.
    laggardsOfAccountMax: 8,
    inFlightMax: 1_024,
    promptMilliseconds: 1_000,
    pollMilliseconds: 500,
    followMillisecondsMin: 10,
    writeMilliseconds: 50,
    shortRetryMilliseconds: [200, 1_000],
    writtenAtOnce: 500,
    unwrittenMax: 2_000,
    skipMilliseconds: 5_000,
    eventsHeldMax: 20_000,
    eventsOfEndpointMax: 400,
    endpointsPerRead: 100,
    stopMilliseconds: 1_000,
  },
  webhookTests: { atOnceMax: 4, waitingMax: 10, waitMilliseconds: 5_000 },
  deliveryLog: { keptSeconds: 30 * 86_400, keptPerWebhookMax: 100_000 },
  // Calls to user-defined addresses (docs/decisions/0035-outbound-calls.md).
  outbound: {
    callMilliseconds: 10_000,
    nameServerMilliseconds: 1_000,
    addressMilliseconds: 1_000,
    answerBytesMax: 65_536,
    answerHeaderBytesMax: 16_384,
    callsOfOriginMax: 100,
    idleConnectionsMax: 500,
    // Below the five seconds after which many servers close a connection.
    idleMilliseconds: 4_000,
    connectionMilliseconds: 60_000,
  },
  // A copy of the embedded database has a time limit, because the WAL grows meanwhile.
  copySecondsMax: 3_600,
  // Times of a shutdown (docs/decisions/0044-restarts.md). Together below the 30 s of the systemd unit and the compose file.
  gracefulDrain: { askedTwiceMilliseconds: 10_000, answers: 3, millisecondsMax: 7_000, askersMax: 100 },
  usedUpMilliseconds: 500,
  drainMilliseconds: 15_000,
  sessionValidSeconds: 12 * 3600,
  codeValidSeconds: 60,
  totpPendingSeconds: 900,
  expiredLoginsKeptSeconds: 7 * 86_400,
  loginLinkLogKeptSeconds: 90 * 86_400,
};

export function readConfig(environment: Environment): Config {
  const set = readSettings(environment);
  if (set.SECRET_KEY === null && set.DATABASE_URL !== null) {
    throw new ConfigProblem(
      'SECRET_KEY is required with DATABASE_URL. Set it to a random text of at least 32 characters, the same for every process, and keep a copy outside the database.',
    );
  }
  return {
    host: set.HOST,
    port: set.PORT,
    publicUrl: set.PUBLIC_URL,
    database:
      set.DATABASE_URL === null
        ? { kind: 'embedded', dataDir: set.DATA_DIR }
        : { kind: 'postgres', connectionString: set.DATABASE_URL },
    secretKey: set.SECRET_KEY,
    secretKeyPrevious: set.SECRET_KEY_PREVIOUS,
    currency: set.CURRENCY,
    trustProxy: set.TRUST_PROXY ?? [],
    outboundAllow: set.OUTBOUND_ALLOW ?? [],
    stripeApiBase: set.STRIPE_API_BASE,
    administrator: {
      username: set.ADMIN_USERNAME,
      password: set.ADMIN_PASSWORD,
      apiKey: set.ADMIN_API_KEY,
    },
    demo: set.DEMO,
    testRowsMax: set.TEST_ROWS_MAX,
    logLevel: set.LOG_LEVEL,
    logRequests: set.LOG_REQUESTS,
    linkValidSeconds: set.LOGIN_LINK_MINUTES * 60,
    cancelRefund: set.CANCEL_REFUND,
    productUrl: set.PRODUCT_URL,
    statementIssuer: set.STATEMENT_ISSUER ?? [],
    secondFactorRoles: set.SECOND_FACTOR_ROLES ?? new Set(),
    creditConfirmedAboveCents: set.CREDIT_CONFIRM_ABOVE,
    mail: mailSettings(set),
    valkey: set.VALKEY_URL,
    allowUnsafeDatabase: set.ALLOW_UNSAFE_DATABASE,
    accountGroups: set.ACCOUNT_GROUPS,
  };
}

function mailSettings({ SMTP_URL: server, MAIL_FROM: given }: SettingValues): MailSettings | null {
  if (server === null) return null;
  // Many servers use addresses as user names, and only allow sending from these.
  const { login } = server;
  const ofUser = login !== null && isMailAddress(login.user) ? { name: null, address: login.user } : null;
  const from = given ?? ofUser;
  if (from === null)
    throw new ConfigProblem(
      'MAIL_FROM is required with this SMTP_URL. Set it to the sender, such as "Example Ltd <billing@example.com>".',
    );
  return { server, from };
}
