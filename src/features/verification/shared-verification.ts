// One audit at a time, whoever asks. Askers of this process share the one that runs, and its report; when another
// process runs one, they are told to come back. An asker is not kept for ever: after a while it is told to come back
// too, the audit goes on, and its report waits for whoever asks next. Made by create-service.ts, asked by the
// administrator's routes.
// Always true: an audit that nobody waits for any more is cancelled, unless somebody was told to come back for it.

import type { VerifyReportView } from './verification-schemas.ts';

export interface SharedVerificationLimits {
  /** An asker waits this long: shorter than proxies wait for an answer. */
  readonly waitMilliseconds: number;
  /** After the last asker went away: clients that lost patience ask again. */
  readonly lingerMilliseconds: number;
  /** A report that nobody was there to hear. */
  readonly keptMilliseconds: number;
}

export interface SharedVerificationDependencies {
  readonly audit: (signal: AbortSignal) => Promise<VerifyReportView>;
  /** Runs the work when no other process runs any; null: one does, or this one had to stop. */
  readonly exclusively: (
    work: (signal: AbortSignal) => Promise<VerifyReportView>,
  ) => Promise<VerifyReportView | null>;
  readonly limits: SharedVerificationLimits;
}

export interface SharedVerification {
  /**
   * The report of the audit that runs, or of one that begins now; null: ask again. `gone` is aborted when the asker
   * is no longer there.
   */
  report(gone: AbortSignal): Promise<VerifyReportView | null>;
  /** Cancels what runs; from now on every answer is null. */
  close(): Promise<void>;
}

interface Run {
  readonly controller: AbortController;
  readonly ended: Promise<VerifyReportView | null>;
  waiting: number;
  isPromised: boolean;
  linger: NodeJS.Timeout | undefined;
}

export function createSharedVerification({
  audit,
  exclusively,
  limits,
}: SharedVerificationDependencies): SharedVerification {
  let running: Run | null = null;
  let kept: { readonly report: VerifyReportView; readonly forget: NodeJS.Timeout } | null = null;
  let isClosed = false;

  function begin(): Run {
    const controller = new AbortController();
    const run: Run = {
      controller,
      ended: exclusively((signal) => audit(AbortSignal.any([signal, controller.signal])))
        .catch((error: unknown) => {
          if (controller.signal.aborted) return null;
          throw error;
        })
        .finally(() => {
          clearTimeout(run.linger);
          running = null;
        }),
      waiting: 0,
      isPromised: false,
      linger: undefined,
    };
    run.ended.then(
      (report) => {
        if (report !== null && run.waiting === 0) keep(report);
      },
      () => undefined,
    );
    return run;
  }

  function keep(report: VerifyReportView): void {
    if (isClosed) return;
    forget();
    const timer = setTimeout(forget, limits.keptMilliseconds);
    timer.unref();
    kept = { report, forget: timer };
  }

  function forget(): void {
    clearTimeout(kept?.forget);
    kept = null;
  }

  function leave(run: Run): void {
    run.waiting -= 1;
    if (run.waiting > 0 || run.isPromised) return;
    run.linger = setTimeout(
      () => run.controller.abort(new DOMException('Nobody waits for this audit any more.', 'AbortError')),
      limits.lingerMilliseconds,
    );
    run.linger.unref();
  }

  return {
    async report(gone) {
      if (isClosed) return null;
      if (kept !== null) {
        const { report } = kept;
        forget();
        return report;
      }
      running ??= begin();
      const run = running;
      clearTimeout(run.linger);
      run.waiting += 1;
      const left = Promise.withResolvers<null>();
      const leaveNow = () => left.resolve(null);
      const patience = setTimeout(() => {
        run.isPromised = true;
        leaveNow();
      }, limits.waitMilliseconds);
      gone.addEventListener('abort', leaveNow);
      if (gone.aborted) leaveNow();
      try {
        return await Promise.race([run.ended, left.promise]);
      } finally {
        clearTimeout(patience);
        gone.removeEventListener('abort', leaveNow);
        leave(run);
      }
    },
    async close() {
      isClosed = true;
      forget();
      const run = running;
      run?.controller.abort(new DOMException('The process is shutting down.', 'AbortError'));
      await run?.ended.catch(() => undefined);
    },
  };
}
