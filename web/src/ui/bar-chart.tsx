// A bar chart on canvas (uPlot). Each page also has the numbers as a table.

import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { barData, barOptions, chartHeight, onChartClick } from './chart-parts.ts';
import { classNames } from './class-names.ts';

export interface BarChartProps {
  readonly label: string;
  readonly names: readonly string[];
  /** Used for drawing only; texts use exact amounts. */
  readonly values: readonly number[];
  readonly formatTick: (value: number) => string;
  /** The index of the first hatched bar. Hatched bars are incomplete or uncertain. */
  readonly hatchedFrom?: number | undefined;
  readonly onPoint: (index: number | null) => void;
  /** The same action must also be available without a pointer. */
  readonly onChoose?: ((index: number) => void) | undefined;
}

export function BarChart(props: BarChartProps) {
  const { label, names, values, formatTick, onPoint, onChoose } = props;
  const hatchedFrom = props.hatchedFrom ?? values.length;
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef({ formatTick, onPoint, onChoose });
  latest.current = { formatTick, onPoint, onChoose };
  useEffect(() => {
    const { current: element } = place;
    if (element === null) return;
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    let chart: uPlot | null = null;
    const draw = () => {
      chart?.destroy();
      const options = barOptions(element, names, (value) => latest.current.formatTick(value));
      const hooks = {
        ready: [(drawn: uPlot) => onChartClick(drawn, (index) => latest.current.onChoose?.(index))],
        setCursor: [({ cursor }: uPlot) => latest.current.onPoint(cursor.idx ?? null)],
      };
      chart = new uPlot({ ...options, hooks }, barData(values, hatchedFrom), element);
    };
    const observer = new ResizeObserver(() =>
      chart?.setSize({ width: element.clientWidth, height: chartHeight }),
    );
    draw();
    observer.observe(element);
    dark.addEventListener('change', draw);
    return () => {
      dark.removeEventListener('change', draw);
      observer.disconnect();
      chart?.destroy();
    };
  }, [names, values, hatchedFrom]);
  return (
    <div
      ref={place}
      role="img"
      aria-label={label}
      className={classNames(
        'h-50 w-full overflow-hidden',
        onChoose !== undefined && '[&_.u-over]:cursor-pointer',
      )}
    />
  );
}
