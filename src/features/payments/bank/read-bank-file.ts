// Reads bank files in a worker thread, because a large one takes seconds, during which the service must go on answering.
// One file at a time, so that large files cannot take all memory.

import { Worker } from 'node:worker_threads';
import type { BankFile, ReadBankFile } from './bank-file-worker.ts';

const readMillisecondsMax = 60_000;
const heapMegabytesMax = 768;

const tooMuch: ReadBankFile = {
  kind: 'refused',
  problem: 'too_large',
  line: null,
  message: 'The file takes too long to read. Export a shorter period.',
};

export function createBankFileReader(): (file: BankFile) => Promise<ReadBankFile> {
  let last: Promise<unknown> = Promise.resolve();
  return (file) => {
    const read = last.then(() => readInWorker(file));
    last = read.catch(() => undefined);
    return read;
  };
}

function readInWorker(file: BankFile): Promise<ReadBankFile> {
  const worker = new Worker(new URL('./bank-file-worker.ts', import.meta.url), {
    name: 'bank-file',
    workerData: file,
    execArgv: [], // the process's own flags (--eval, --input-type) would stop the thread
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
  });
  const { promise, resolve, reject } = Promise.withResolvers<ReadBankFile>();
  const late = setTimeout(() => resolve(tooMuch), readMillisecondsMax);
  worker.once('message', resolve);
  worker.once('error', (error: Error & { readonly code?: string }) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(tooMuch);
    else reject(error);
  });
  worker.once('exit', (code) => reject(new Error(`The thread that reads bank files ended with ${code}.`)));
  return promise.finally(() => {
    clearTimeout(late);
    return worker.terminate();
  });
}
