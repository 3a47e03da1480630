// A bar chart on canvas (uPlot). Each page also has the numbers as a table.

import { useCallback, useRef } from 'react';
import type uPlot from 'uplot';
import { classNames } from './class-names.ts';
import { type ChartParts, useChart } from './use-chart.ts';

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
  const latest = useRef({ formatTick, onPoint, onChoose });
  latest.current = { formatTick, onPoint, onChoose };
  const place = useChart(
    useCallback(
      ({ barData, barOptions, createChart, onChartClick }: ChartParts, element: HTMLElement) => {
        const options = barOptions(element, names, (value) => latest.current.formatTick(value));
        const hooks = {
          ready: [(drawn: uPlot) => onChartClick(drawn, (index) => latest.current.onChoose?.(index))],
          setCursor: [({ cursor }: uPlot) => latest.current.onPoint(cursor.idx ?? null)],
        };
        return createChart({ ...options, hooks }, barData(values, hatchedFrom), element);
      },
      [names, values, hatchedFrom],
    ),
  );
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
