// The figures that the benchmark measures and the goals of the product. The report is printed from these lists.
// A goal is for the ratio of two figures' medians, or for one figure's median.

export const figures = {
  orders: { title: 'Orders, 200 accounts', unit: 'orders/s' },
  ordersOneAccount: { title: 'Orders, one account', unit: 'orders/s' },
  bulk: { title: 'Orders in bulks of 100, 200 accounts', unit: 'orders/s' },
  bulkOneAccount: { title: 'Orders in bulks of 100, one account', unit: 'orders/s' },
  aged: { title: 'Orders, 200 accounts, aged history', unit: 'orders/s' },
  agedInOrder: { title: 'Orders, 200 accounts, aged history, keys in order', unit: 'orders/s' },
  ordersLatency: { title: 'Orders, 200 accounts, median latency', unit: 'ms' },
  ordersLatency99: { title: 'Orders, 200 accounts, 99 of 100 are answered within', unit: 'ms' },
  embedded: { title: 'Orders, 200 accounts, embedded database', unit: 'orders/s' },
  embeddedOneAccount: { title: 'Orders, one account, embedded database', unit: 'orders/s' },
  textbook: { title: 'Textbook implementation, 200 accounts', unit: 'orders/s' },
  textbookOneAccount: { title: 'Textbook implementation, one account', unit: 'orders/s' },
  tpcb50: { title: 'pgbench TPC-B, 16 clients, scale 50', unit: 'tps' },
  tpcb1: { title: 'pgbench TPC-B, 16 clients, scale 1', unit: 'tps' },
  oneClient: { title: 'One client alone, one order', unit: 'ms' },
  oneClientInNode: { title: 'The same, asked through node:http', unit: 'ms' },
  oneClientTpcb: { title: 'pgbench TPC-B, one client, scale 50', unit: 'ms' },
  oneClientFast: { title: 'One client alone, one order, data in memory', unit: 'ms' },
  oneClientFastTpcb: { title: 'pgbench TPC-B, one client, scale 50, data in memory', unit: 'ms' },
  bare: { title: 'A bare node:http server that answers {}', unit: 'requests/s' },
  packages: { title: 'GET /packages', unit: 'requests/s' },
  balance: { title: 'GET /balance', unit: 'requests/s' },
  orderById: { title: 'GET /orders/{id}', unit: 'requests/s' },
  firstPage: { title: 'GET /orders?page=1', unit: 'requests/s' },
  deepPage: { title: 'GET /orders?page=10000', unit: 'requests/s' },
  youngPageLatency: { title: 'GET /orders?page=1, one client, young history', unit: 'ms' },
  firstPageLatency: { title: 'GET /orders?page=1, one client, aged history', unit: 'ms' },
  deepPageLatency: { title: 'GET /orders?page=10000, one client, aged history', unit: 'ms' },
  memory: { title: 'Resident memory of the service under load', unit: 'MB' },
  memoryCrowd: { title: 'Resident memory of the service, 512 connections', unit: 'MB' },
  memoryPeak: { title: 'Resident memory of the service, peak since its start', unit: 'MB' },
  besideAlone: { title: 'Orders, 110,000 customers', unit: 'orders/s' },
  besideReads: { title: 'The same beside three exports, searches and an overview', unit: 'orders/s' },
  besideExported: { title: 'Exported meanwhile', unit: 'lines/s' },
  besideSearch: { title: 'A search of 110,000 customers meanwhile', unit: 'ms' },
  besideAloneEmbedded: { title: 'Orders, 110,000 customers, embedded database', unit: 'orders/s' },
  besideReadsEmbedded: {
    title: 'The same beside three exports, searches and an overview, embedded',
    unit: 'orders/s',
  },
  besideExportedEmbedded: { title: 'Exported meanwhile, embedded database', unit: 'lines/s' },
  besideSearchEmbedded: { title: 'A search of 110,000 customers meanwhile, embedded', unit: 'ms' },
  memoryEmbeddedIdle: { title: 'Resident memory after the start, database embedded', unit: 'MB' },
  memoryEmbedded: { title: 'Resident memory under load, database embedded', unit: 'MB' },
  cpuService: { title: 'CPU of the service for 10,000 orders', unit: 's' },
  cpuDatabase: { title: 'CPU of PostgreSQL for 10,000 orders', unit: 's' },
  cpuEmbedded: { title: 'CPU for 10,000 orders, database embedded (one process)', unit: 's' },
  coldStart: { title: 'npm start to the first order, new folder', unit: 's' },
  warmStart: { title: 'npm start to the first order, existing data', unit: 's' },
} as const;

export type FigureName = keyof typeof figures;

/** The figures of one measurement; null or undefined: this system cannot measure it. */
export type Measured = { readonly [Name in FigureName]?: number | null | undefined };

interface Goal {
  readonly title: string;
  readonly figure: FigureName;
  /** The figure is divided by this one. Absent: the goal is for the figure itself. */
  readonly over?: FigureName;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const goals: readonly Goal[] = [
  { title: 'Orders ÷ TPC-B, scale 50', figure: 'orders', over: 'tpcb50', atLeast: 3 },
  {
    title: 'Orders on one account ÷ TPC-B, scale 1',
    figure: 'ordersOneAccount',
    over: 'tpcb1',
    atLeast: 8,
  },
  { title: 'Orders in bulk ÷ TPC-B, scale 50', figure: 'bulk', over: 'tpcb50', atLeast: 3.5 },
  {
    title: 'Orders in bulk on one account ÷ TPC-B, scale 1',
    figure: 'bulkOneAccount',
    over: 'tpcb1',
    atLeast: 8,
  },
  { title: 'Orders ÷ textbook, 200 accounts', figure: 'orders', over: 'textbook', atLeast: 6 },
  {
    title: 'Orders ÷ textbook, one account',
    figure: 'ordersOneAccount',
    over: 'textbookOneAccount',
    atLeast: 12,
  },
  { title: 'Orders, embedded ÷ TPC-B, scale 50', figure: 'embedded', over: 'tpcb50', atLeast: 2.5 },
  { title: 'One client’s latency ÷ TPC-B’s', figure: 'oneClient', over: 'oneClientTpcb', atMost: 1.5 },
  {
    title: 'The same with the data in memory',
    figure: 'oneClientFast',
    over: 'oneClientFastTpcb',
    atMost: 2,
  },
  {
    title: 'Orders, latency of the slowest in 100 ÷ median',
    figure: 'ordersLatency99',
    over: 'ordersLatency',
    atMost: 3,
  },
  { title: 'GET /packages ÷ bare server', figure: 'packages', over: 'bare', atLeast: 0.6 },
  { title: 'GET /balance ÷ bare server', figure: 'balance', over: 'bare', atLeast: 0.4 },
  { title: 'Orders, aged history ÷ empty', figure: 'aged', over: 'orders', atLeast: 0.9 },
  {
    title: 'Orders, aged history, keys in order ÷ empty',
    figure: 'agedInOrder',
    over: 'orders',
    atLeast: 0.9,
  },
  {
    title: 'Latency of page 10,000 ÷ page 1',
    figure: 'deepPageLatency',
    over: 'firstPageLatency',
    atMost: 1.2,
  },
  { title: 'Orders beside reads ÷ orders alone', figure: 'besideReads', over: 'besideAlone', atLeast: 0.8 },
  {
    title: 'Orders beside reads ÷ orders alone, embedded',
    figure: 'besideReadsEmbedded',
    over: 'besideAloneEmbedded',
    atLeast: 0.6,
  },
  { title: 'Resident memory under load, MB', figure: 'memory', atMost: 250 },
  { title: 'Resident memory, 512 connections, MB', figure: 'memoryCrowd', atMost: 300 },
  { title: 'Resident memory after the start, embedded, MB', figure: 'memoryEmbeddedIdle', atMost: 320 },
  { title: 'Resident memory under load, embedded, MB', figure: 'memoryEmbedded', atMost: 450 },
  { title: 'npm start to the first order, existing data, s', figure: 'warmStart', atMost: 3 },
];

export interface GoalResult {
  readonly goal: Goal;
  /** null: not measured in this run. */
  readonly value: number | null;
  readonly isReached: boolean;
}

/** Every value of every figure, in the order of measurement. */
export type Values = ReadonlyMap<FigureName, readonly number[]>;

export function judge(values: Values): readonly GoalResult[] {
  const medianOf = (name: FigureName) => {
    const found = values.get(name);
    return found === undefined ? null : median(found);
  };
  return goals.map((goal) => {
    const above = medianOf(goal.figure);
    const below = goal.over === undefined ? 1 : medianOf(goal.over);
    if (above === null || below === null) return { goal, value: null, isReached: false };
    const value = above / below;
    const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = goal;
    return { goal, value, isReached: value >= atLeast && value <= atMost };
  });
}

/** @throws Error when there is nothing to choose from */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error('There is no median of nothing.');
  return (lower + upper) / 2;
}
