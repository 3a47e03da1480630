// Runs one verification at a time. Requests in this process share a run and its report; a request that waits too long gets
// null and must ask again.
// Invariant: a run that no request waits for is cancelled, unless one was asked to come back.

import type { VerificationStarter, VerifyReportView } from './verification-schemas.ts';

export interface SharedVerificationLimits {
  /** Shorter than the timeouts of proxies. */
  readonly waitMilliseconds: number;
  /** How long a run goes on after the last request left, because clients retry. */
  readonly lingerMilliseconds: number;
  readonly keptMilliseconds: number;
}

export interface SharedVerificationDependencies {
  readonly audit: (signal: AbortSignal, startedBy: VerificationStarter) => Promise<VerifyReportView>;
  /** Returns null if another process runs a verification or this one had to stop. */
  readonly exclusively: (
    work: (signal: AbortSignal) => Promise<VerifyReportView>,
  ) => Promise<VerifyReportView | null>;
  readonly limits: SharedVerificationLimits;
}

export interface SharedVerification {
  /** Returns the report of the current or a new run, or null to ask again. `gone` aborts when the client disconnects. */
  report(gone: AbortSignal, asker: VerificationStarter): Promise<VerifyReportView | null>;
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

  function begin(startedBy: VerificationStarter): Run {
    const controller = new AbortController();
    const run: Run = {
      controller,
      ended: exclusively((signal) => audit(AbortSignal.any([signal, controller.signal]), startedBy))
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
      () =>
        run.controller.abort(
          new DOMException('No request waits for this verification any more.', 'AbortError'),
        ),
      limits.lingerMilliseconds,
    );
    run.linger.unref();
  }

  return {
    async report(gone, asker) {
      if (isClosed) return null;
      if (kept !== null) {
        const { report } = kept;
        forget();
        return report;
      }
      running ??= begin(asker);
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
