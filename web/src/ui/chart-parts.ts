// What the charts have in common (uPlot): axes, bars, colors. Colors come from the stylesheet. Loaded behind the page.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export const chartHeight = 200;
const barShare = 0.72;
const barWidthMax = 36;
const tickRoomMin = 40;
const labelGap = 12;
const font = '11px system-ui, sans-serif';
/** Axis steps are whole numbers, because half an order does not exist. */
const steps = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power));

const measuring = document.createElement('canvas').getContext('2d');

function widthOf(text: string): number {
  if (measuring === null) return text.length * 7;
  measuring.font = font;
  return measuring.measureText(text).width;
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(widthOf));
}

function namedBars(count: number, width: number, nameWidth: number): number[] {
  const step = Math.max(1, Math.ceil((nameWidth + labelGap) / (width / (count + 0.2))));
  const named: number[] = [];
  for (let at = count - 1; at >= 0; at -= step) named.unshift(at);
  return named;
}

function hatching(color: string): CanvasPattern | string {
  const tile = document.createElement('canvas');
  const size = Math.round(6 * window.devicePixelRatio);
  tile.width = size;
  tile.height = size;
  const context = tile.getContext('2d');
  if (context === null) return color;
  context.strokeStyle = color;
  context.lineWidth = size / 3;
  context.lineCap = 'square';
  for (const offset of [-size, 0, size]) {
    context.beginPath();
    context.moveTo(offset, size);
    context.lineTo(offset + size, 0);
    context.stroke();
  }
  return context.createPattern(tile, 'repeat') ?? color;
}

/** Two columns of bars, of which those from `hatchedFrom` on are hatched: incomplete or uncertain. */
export function barData(values: readonly number[], hatchedFrom: number): uPlot.AlignedData {
  const only = (fits: (index: number) => boolean) =>
    values.map((value, index) => (fits(index) ? value : null));
  return [
    values.map((_value, index) => index),
    only((index) => index < hatchedFrom),
    only((index) => index >= hatchedFrom),
  ];
}

/** The color of a variable of the stylesheet in the page's theme. A canvas does not resolve light-dark() itself. */
export function chartColor(element: HTMLElement, name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export function barOptions(
  element: HTMLElement,
  names: readonly string[],
  formatTick: (value: number) => string,
): uPlot.Options {
  const color = (name: string) => chartColor(element, name);
  const axis = { stroke: color('--soft'), font, ticks: { show: false } };
  const nameWidth = widest(names);
  const bars = uPlot.paths.bars?.({ size: [barShare, barWidthMax], radius: 0.15 });
  return {
    width: element.clientWidth,
    height: chartHeight,
    padding: [12, Math.max(14, Math.ceil(nameWidth / 2)), 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { setScale: false, x: false, y: false } },
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
        splits: (chart) => namedBars(names.length, chart.width - tickRoomMin, nameWidth),
        values: (_chart, splits) => splits.map((at) => names[at] ?? ''),
      },
      {
        ...axis,
        grid: { stroke: color('--line'), width: 1 },
        size: (_chart, ticks) => Math.max(tickRoomMin, Math.ceil(widest(ticks ?? [])) + labelGap),
        gap: 6,
        space: 32,
        incrs: steps,
        values: (_chart, splits) => splits.map(formatTick),
      },
    ],
    series: [
      {},
      {
        fill: color('--accent'),
        width: 0,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      },
      {
        fill: () => hatching(color('--accent')),
        stroke: color('--accent'),
        width: 1,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      },
    ],
  };
}

export function createChart(options: uPlot.Options, data: uPlot.AlignedData, element: HTMLElement): uPlot {
  return new uPlot(options, data, element);
}

export function onChartClick(chart: uPlot, choose: (index: number) => void): void {
  chart.over.addEventListener('click', () => {
    const { idx } = chart.cursor;
    if (idx !== null && idx !== undefined) choose(idx);
  });
}
