// Draws a chart once uPlot is loaded, which the page does not wait for, and again after a change of width or theme.

import { type RefObject, useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import { untilLoaded } from '../text/until-loaded.ts';
import { onThemeChange } from './theme.ts';

export type ChartParts = typeof import('./chart-parts.ts');

const loadParts = untilLoaded(() => import('./chart-parts.ts'));

/** A changed `draw` draws the chart again. Without uPlot the place stays empty; the page has the numbers as a table. */
export function useChart(
  draw: (parts: ChartParts, element: HTMLElement) => uPlot,
): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current: element } = place;
    if (element === null) return;
    let end = () => {};
    let isOver = false;
    loadParts().then(
      (parts) => {
        if (!isOver) end = keepDrawn(() => draw(parts, element), element, parts.chartHeight);
      },
      () => undefined,
    );
    return () => {
      isOver = true;
      end();
    };
  }, [draw]);
  return place;
}

function keepDrawn(draw: () => uPlot, element: HTMLElement, height: number): () => void {
  let chart = draw();
  const drawAgain = () => {
    chart.destroy();
    chart = draw();
  };
  const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
  observer.observe(element);
  const ignoreTheme = onThemeChange(drawAgain);
  return () => {
    ignoreTheme();
    observer.disconnect();
    chart.destroy();
  };
}
