// The bars of a chart, with a line at the bar under the pointer. Charts of one group share it, so that all of them show the
// same month. Each page also has the numbers as a table.

import { useEffect, useRef, useState } from 'react';
import { numberLocale } from '../text/language.ts';
import { type BarPlaces, type ChartData, drawChart } from './chart-drawing.ts';
import { classNames } from './class-names.ts';
import { onThemeChange } from './theme.ts';

/** The bar under the pointer, and the distances of its middle from both edges of the chart in pixels. */
export interface ChartPoint {
  readonly index: number;
  readonly left: number;
  readonly right: number;
}

interface CanvasChartProps extends ChartData {
  readonly label: string;
  readonly group?: string;
  readonly onPoint: (point: ChartPoint | null) => void;
  /** The same action must also be available without a pointer. */
  readonly onChoose?: ((index: number) => void) | undefined;
}

type Show = (index: number | null) => void;

const groups = new Map<string, Set<Show>>();

export function CanvasChart(props: CanvasChartProps) {
  const { label, names, values, hatchedFrom, line, isBad, group, onChoose } = props;
  const [middle, setMiddle] = useState<number | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const { current: box } = place;
    const canvas = box?.querySelector('canvas');
    if (!box || !canvas) return;
    let places: BarPlaces | null = null;
    const draw = () => {
      const { formatTick } = latest.current;
      places = drawChart(canvas, { names, values, hatchedFrom, line, isBad, formatTick });
    };
    const show: Show = (index) => {
      const point = index === null || places === null ? null : pointAt(places, index);
      setMiddle(point?.left ?? null);
      latest.current.onPoint(point);
    };
    const together = group === undefined ? new Set<Show>() : (groups.get(group) ?? new Set<Show>());
    if (group !== undefined) groups.set(group, together);
    together.add(show);
    const indexOf = ({ clientX }: MouseEvent) =>
      places === null ? null : barAt(places, clientX - box.getBoundingClientRect().left);
    const point = (event: MouseEvent) => {
      for (const one of together) one(indexOf(event));
    };
    const leave = () => {
      for (const one of together) one(null);
    };
    const choose = (event: MouseEvent) => {
      const index = indexOf(event);
      if (index !== null) latest.current.onChoose?.(index);
    };
    const observer = new ResizeObserver(draw);
    observer.observe(box);
    const ignoreTheme = onThemeChange(draw);
    box.addEventListener('mousemove', point);
    box.addEventListener('mouseleave', leave);
    box.addEventListener('click', choose);
    return () => {
      observer.disconnect();
      ignoreTheme();
      together.delete(show);
      box.removeEventListener('mousemove', point);
      box.removeEventListener('mouseleave', leave);
      box.removeEventListener('click', choose);
    };
  }, [names, values, hatchedFrom, line, isBad, group]);

  return (
    <div
      ref={place}
      role="img"
      aria-label={label}
      className={classNames(
        'relative h-50 w-full overflow-hidden',
        onChoose !== undefined && 'cursor-pointer',
      )}
    >
      <canvas className="h-full w-full" />
      {middle === null ? null : (
        <span
          className="pointer-events-none absolute top-3 bottom-7 left-0 border-l border-dashed border-edge"
          style={{ transform: `translateX(${Math.round(middle)}px)` }}
        />
      )}
    </div>
  );
}

function barAt({ left, step, count }: BarPlaces, x: number): number {
  return Math.min(count - 1, Math.max(0, Math.round((x - left) / step)));
}

function pointAt({ left, step, count, chartWidth }: BarPlaces, index: number): ChartPoint | null {
  if (index >= count) return null;
  const middle = left + index * step;
  return { index, left: middle, right: chartWidth - middle };
}

const axisFormats = new Map<string, Intl.NumberFormat>();

/** Formats "$1.5K" for charts. */
export function formatAxisMoney(amount: number, currency: string): string {
  let format = axisFormats.get(currency);
  if (format === undefined) {
    // Without "always", German writes "5000 $" beside "10.000 $".
    const style = { notation: 'compact', style: 'currency', useGrouping: 'always' } as const;
    format = new Intl.NumberFormat(numberLocale, { ...style, currency });
    axisFormats.set(currency, format);
  }
  return format.format(amount).replace('-', '−');
}
