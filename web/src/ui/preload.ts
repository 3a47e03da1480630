// What opens by one key or press, as dialogs and drawers do, is fetched before anybody asks for it: one after the other, once
// the page is there and nothing is being read. So nothing of it keeps a list waiting, and the first opening takes no time.

import { useIsFetching } from '@tanstack/react-query';
import { type ComponentType, lazy, useEffect } from 'react';
import { untilLoaded } from '../text/until-loaded.ts';

const waiting: (() => Promise<unknown>)[] = [];

/** As React's lazy. Whoever opens it before it was fetched waits for it as usual. */
export function lazyEarly<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>) {
  const loading = untilLoaded(load);
  waiting.push(loading);
  return lazy(loading);
}

/** Rendered once, in the frame of the pages. */
export function FetchEarlyParts() {
  const isReading = useIsFetching() > 0;
  useEffect(() => {
    if (isReading) return;
    let isOver = false;
    const next = async () => {
      if (isOver || !isPageThere()) return;
      // A part that cannot be fetched now is fetched when it is opened.
      await waiting
        .shift()?.()
        .catch(() => undefined);
      if (waiting.length > 0) whenIdle(() => void next());
    };
    whenIdle(() => void next());
    return () => {
      isOver = true;
    };
  }, [isReading]);
  return null;
}

function isPageThere(): boolean {
  return document.querySelector('main h1') !== null && document.querySelector('[aria-busy="true"]') === null;
}

const pauseMilliseconds = 200;

function whenIdle(run: () => void): void {
  // Not every browser has the first.
  if ('requestIdleCallback' in window) window.requestIdleCallback(run);
  else setTimeout(run, pauseMilliseconds);
}
