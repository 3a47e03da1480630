// Bars with a dashed line for the time before, and a tooltip at the bar. Charts of one group share their cursor, so that all
// of them show the same month. Each page also has the numbers as a table.

import { type ReactNode, useCallback, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { classNames } from './class-names.ts';
import { type ChartParts, useChart } from './use-chart.ts';

interface TrendChartProps {
  readonly label: string;
  readonly names: readonly string[];
  /** Used for drawing only; texts use exact amounts. */
  readonly values: readonly number[];
  /** The same of the time before; null: no line. */
  readonly compared: readonly (number | null)[] | null;
  readonly formatTick: (value: number) => string;
  readonly hatchedFrom: number;
  readonly group: string;
  readonly tooltip: (index: number) => ReactNode;
  /** The same action must also be available without a pointer. */
  readonly onChoose: (index: number) => void;
}

interface Point {
  readonly index: number;
  /** From the left and from the right edge of the chart, in pixels. */
  readonly left: number;
  readonly right: number;
}

export function TrendChart(props: TrendChartProps) {
  const { label, names, values, compared, formatTick, hatchedFrom, group, tooltip, onChoose } = props;
  const [point, setPoint] = useState<Point | null>(null);
  const latest = useRef({ formatTick, onChoose });
  latest.current = { formatTick, onChoose };
  const place = useChart(
    useCallback(
      ({ barData, barOptions, chartColor, createChart, onChartClick }: ChartParts, element: HTMLElement) => {
        const options = barOptions(element, names, (value) => latest.current.formatTick(value));
        const line = {
          stroke: chartColor(element, '--ink'),
          width: 1.5,
          dash: [4, 4],
          points: { show: false },
        };
        const [x, solid, hatched] = barData(values, hatchedFrom);
        return createChart(
          {
            ...options,
            series: [...options.series, line],
            cursor: { ...options.cursor, sync: { key: group, setSeries: false } },
            hooks: {
              ready: [(drawn) => onChartClick(drawn, (index) => latest.current.onChoose(index))],
              setCursor: [(drawn) => setPoint(pointOf(drawn))],
            },
          },
          [x, solid ?? [], hatched ?? [], compared === null ? values.map(() => null) : [...compared]],
          element,
        );
      },
      [names, values, compared, hatchedFrom, group],
    ),
  );
  return (
    <div className="relative">
      <div
        ref={place}
        role="img"
        aria-label={label}
        className="h-50 w-full overflow-hidden [&_.u-over]:cursor-pointer"
      />
      {point === null || point.index >= values.length ? null : (
        <div
          aria-hidden="true"
          data-tooltip
          className={classNames(
            'pointer-events-none absolute top-1 z-10 w-max max-w-52 rounded-control border border-line bg-card px-3 py-2 text-xs shadow-high',
          )}
          // Beside the bar, on the side that has more room.
          style={point.left < point.right ? { left: point.left } : { right: point.right }}
        >
          {tooltip(point.index)}
        </div>
      )}
    </div>
  );
}

const gapPixels = 14;

function pointOf(chart: uPlot): Point | null {
  const { idx } = chart.cursor;
  if (idx === null || idx === undefined) return null;
  const middle = chart.over.offsetLeft + chart.valToPos(idx, 'x');
  return { index: idx, left: middle + gapPixels, right: chart.width - middle + gapPixels };
}
