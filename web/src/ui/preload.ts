// Preloads dialogs and drawers one by one once the page is loaded and idle, so that they open at once.

import { useIsFetching } from '@tanstack/react-query';
import { type ComponentType, lazy, useEffect } from 'react';
import { untilLoaded } from '../text/until-loaded.ts';

const waiting: (() => Promise<unknown>)[] = [];

/** Like React's lazy, but also preloaded. */
export function lazyEarly<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>) {
  const loading = untilLoaded(load);
  waiting.push(loading);
  return lazy(loading);
}

/** Render this once, in the page frame. */
export function FetchEarlyParts() {
  const isReading = useIsFetching() > 0;
  useEffect(() => {
    if (isReading) return;
    let isOver = false;
    const next = async () => {
      if (isOver || !isPageThere()) return;
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
  if ('requestIdleCallback' in window) window.requestIdleCallback(run);
  else setTimeout(run, pauseMilliseconds);
}
