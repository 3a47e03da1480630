// node proof/machines/long-core.ts --operations 20000000 [--seed 1]
// The long form of core-against-oracle.test.ts, with a worker per core. The last line gives the totals.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { describeFailure, runHistory, shrinkHistory } from '../oracle/core-model.ts';
import { createRandom, drawHistory } from '../oracle/history-genes.ts';
import { countLabels, formatDistribution } from '../oracle/history-report.ts';

interface Share {
  readonly seed: number;
  readonly first: number;
  readonly stride: number;
  readonly operations: number;
}

interface Report {
  readonly operations: number;
  readonly decided: number;
  readonly labels: ReadonlyMap<string, number>;
  readonly failing: readonly number[];
}

const operationsPerHistory = 100;
const historiesPerReport = 100;
const shownFailuresMax = 3;
const progressMilliseconds = 10_000;

if (isMainThread) await runAll();
else work(workerData);

function work({ seed, first, stride, operations: wanted }: Share): void {
  let done = 0;
  let number = first;
  while (done < wanted) {
    const labels = new Map<string, number>();
    const failing: number[] = [];
    let operations = 0;
    let decided = 0;
    for (let count = 0; count < historiesPerReport && done + operations < wanted; count += 1) {
      const history = historyOf(seed, number, Math.min(operationsPerHistory, wanted - done - operations));
      try {
        const run = runHistory(history, 1);
        countLabels(run.played.steps, labels);
        decided += run.decided;
        if (run.divergence !== null) failing.push(number);
      } catch {
        failing.push(number);
      }
      operations += history.operations.length;
      number += stride;
    }
    done += operations;
    parentPort?.postMessage({ operations, decided, labels, failing } satisfies Report);
  }
}

async function runAll(): Promise<void> {
  const { values } = parseArgs({
    options: { operations: { type: 'string', default: '20000000' }, seed: { type: 'string', default: '1' } },
  });
  const [wanted, seed] = [Number(values.operations), Number(values.seed)];
  const started = performance.now();
  const secondsSince = () => ((performance.now() - started) / 1000).toFixed(1);
  const labels = new Map<string, number>();
  const failing: number[] = [];
  let operations = 0;
  let decided = 0;
  const progress = setInterval(() => {
    const perSecond = Math.round(operations / ((performance.now() - started) / 1000));
    console.log(`${operations} operations, ${failing.length} divergences, ${perSecond} a second`);
  }, progressMilliseconds);

  const workers = Math.max(1, availableParallelism());
  await Promise.all(
    Array.from({ length: workers }, (_nothing, first) => {
      const share = Math.floor(wanted / workers) + (first < wanted % workers ? 1 : 0);
      const worker = new Worker(new URL(import.meta.url), {
        workerData: { seed, first, stride: workers, operations: share } satisfies Share,
      });
      worker.on('message', (report: Report) => {
        operations += report.operations;
        decided += report.decided;
        failing.push(...report.failing);
        for (const [label, count] of report.labels) labels.set(label, (labels.get(label) ?? 0) + count);
      });
      return new Promise<void>((resolve, reject) => {
        worker.once('error', reject);
        worker.once('exit', () => resolve());
      });
    }),
  );
  clearInterval(progress);

  console.log(formatDistribution(labels));
  console.log(`${decided} decisions of the core`);
  for (const number of failing.slice(0, shownFailuresMax)) {
    console.log(`\nHistory ${number} of seed ${seed}, shrunk:`);
    console.log(describeFailure(shrinkHistory(historyOf(seed, number, operationsPerHistory)), seed));
  }
  console.log(`${operations} operations, ${failing.length} divergences, seed ${seed}, ${secondsSince()} s`);
  process.exitCode = failing.length === 0 ? 0 : 1;
}

function historyOf(seed: number, number: number, operations: number) {
  return drawHistory(createRandom(seed, number), operations);
}
