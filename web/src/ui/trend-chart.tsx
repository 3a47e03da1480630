// Bars with a dashed line for the time before, and a tooltip at the bar.

import { type ReactNode, useState } from 'react';
import { CanvasChart, type ChartPoint } from './canvas-chart.tsx';

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

const gapPixels = 14;

export function TrendChart({ compared, tooltip, ...rest }: TrendChartProps) {
  const [point, setPoint] = useState<ChartPoint | null>(null);
  return (
    <div className="relative">
      <CanvasChart {...rest} line={compared} onPoint={setPoint} />
      {point === null || point.index >= rest.values.length ? null : (
        <div
          aria-hidden="true"
          data-tooltip
          className="pointer-events-none absolute top-1 z-10 w-max max-w-52 rounded-control border border-line bg-card px-3 py-2 text-xs shadow-high"
          // Beside the bar, on the side that has more room.
          style={
            point.left < point.right ? { left: point.left + gapPixels } : { right: point.right + gapPixels }
          }
        >
          {tooltip(point.index)}
        </div>
      )}
    </div>
  );
}
