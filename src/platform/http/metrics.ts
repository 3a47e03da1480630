// Prometheus metrics about requests. Labels come from closed lists (route patterns, codes, kinds), never from clients.

import { Counter, collectDefaultMetrics, Histogram, Registry } from '@prometheus-io/client';

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  onRequest(request: {
    route: string;
    method: string;
    status: number;
    seconds: number | null;
    errorCode: string | null;
  }): void;
  onRequestLinesDropped(lines: number): void;
  readonly registry: Registry;
}

let ofProcess: Registry | null = null;

/** Memory, CPU and event loop. They are collected by timers that never end, so tests with many services share them. */
function processMetrics(): Registry {
  if (ofProcess === null) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

export function createMetrics(): Metrics {
  const shared = processMetrics();
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'sellthrough_http_requests_total',
    help: 'Requests by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'sellthrough_http_request_seconds',
    help: 'Time taken to answer, by route.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const refusals = new Counter({
    name: 'sellthrough_refusals_total',
    help: 'Error answers by code.',
    labelNames: ['code'],
    registers,
  });
  const droppedLines = new Counter({
    name: 'sellthrough_request_log_dropped_total',
    help: 'Requests that the log of an account does not show, because they could not be written in time.',
    registers,
  });

  return {
    contentType: registry.contentType,
    text: () => Registry.merge([shared, registry]).metrics(),
    onRequest({ route, method, status, seconds: took, errorCode }) {
      requests.inc({ route, method, status });
      if (took !== null) seconds.observe({ route }, took);
      if (errorCode !== null) refusals.inc({ code: errorCode });
    },
    onRequestLinesDropped: (lines) => droppedLines.inc(lines),
    registry,
  };
}
