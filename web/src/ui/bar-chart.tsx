import { CanvasChart } from './canvas-chart.tsx';

export interface BarChartProps {
  readonly label: string;
  readonly names: readonly string[];
  /** Used for drawing only; texts use exact amounts. */
  readonly values: readonly number[];
  readonly formatTick: (value: number) => string;
  /** The index of the first hatched bar. Hatched bars are incomplete or uncertain. */
  readonly hatchedFrom?: number | undefined;
  /** A dashed line across the chart. */
  readonly line?: readonly number[] | null;
  readonly isBad?: boolean;
  readonly onPoint: (index: number | null) => void;
  /** The same action must also be available without a pointer. */
  readonly onChoose?: ((index: number) => void) | undefined;
}

export function BarChart({ hatchedFrom, line = null, onPoint, ...rest }: BarChartProps) {
  return (
    <CanvasChart
      {...rest}
      hatchedFrom={hatchedFrom ?? rest.values.length}
      line={line}
      onPoint={(point) => onPoint(point?.index ?? null)}
    />
  );
}
