// Bars over days or months, drawn by uPlot on a canvas; loaded with the pages that have one. The numbers are
// never only here: the page has the same as a table. Colours are read from the stylesheet and drawn again when
// the system turns light or dark.

import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface BarChartProps {
  readonly label: string;
  readonly names: readonly string[];
  /** Only drawn from: what is shown in words is made of the exact amounts. */
  readonly values: readonly number[];
  /** The axis' words for a value. */
  readonly formatTick: (value: number) => string;
  /** Which bar is pointed at; null: none. */
  readonly onPoint: (index: number | null) => void;
}

const height = 200;
const barShare = 0.72;
const barWidthMax = 36;
const tickRoom = 56;
/** Whole units only: nobody counts tenths of an order, and an empty chart has no cents to show. */
const steps = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power));

export function BarChart({ label, names, values, formatTick, onPoint }: BarChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef({ formatTick, onPoint });
  latest.current = { formatTick, onPoint };
  useEffect(() => {
    const { current: element } = place;
    if (element === null) return;
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    let chart: uPlot | null = null;
    const draw = () => {
      chart?.destroy();
      chart = new uPlot(options(element, names, latest), dataOf(values), element);
    };
    const observer = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height }));
    draw();
    observer.observe(element);
    dark.addEventListener('change', draw);
    return () => {
      dark.removeEventListener('change', draw);
      observer.disconnect();
      chart?.destroy();
    };
  }, [names, values]);
  return <div ref={place} role="img" aria-label={label} className="h-50 w-full overflow-hidden" />;
}

function dataOf(values: readonly number[]): uPlot.AlignedData {
  return [values.map((_value, index) => index), [...values]];
}

function options(
  element: HTMLElement,
  names: readonly string[],
  latest: { readonly current: Pick<BarChartProps, 'formatTick' | 'onPoint'> },
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = { stroke: colour('--soft'), font: '11px system-ui, sans-serif', ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [barShare, barWidthMax], radius: 0.15 });
  return {
    width: element.clientWidth,
    height,
    padding: [12, 14, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: false },
      drag: { setScale: false, x: false, y: false },
    },
    scales: {
      x: { time: false, range: (_chart, min, max) => [min - 0.6, max + 0.6] },
      y: { range: (_chart, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.05] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        gap: 6,
        size: 28,
        incrs: [1, 2, 3, 5, 7, 10],
        space: 56,
        values: (_chart, splits) => splits.map((at) => names[at] ?? ''),
      },
      {
        ...axis,
        grid: { stroke: colour('--line'), width: 1 },
        size: tickRoom,
        gap: 6,
        space: 32,
        incrs: steps,
        values: (_chart, splits) => splits.map((value) => latest.current.formatTick(value)),
      },
    ],
    series: [
      {},
      {
        fill: colour('--accent'),
        width: 0,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      },
    ],
    hooks: {
      setCursor: [({ cursor }) => latest.current.onPoint(cursor.idx ?? null)],
    },
  };
}
