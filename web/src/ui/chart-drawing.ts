// Draws bars with their axes on a canvas, in the colors of the stylesheet. Hatched bars are incomplete or uncertain, bars
// below zero are red, and with `isBad` all of them are.

export interface ChartData {
  readonly names: readonly string[];
  readonly values: readonly number[];
  readonly hatchedFrom: number;
  /** A dashed line, with gaps at null. */
  readonly line: readonly (number | null)[] | null;
  readonly formatTick: (value: number) => string;
  readonly isBad?: boolean | undefined;
}

/** Where the bars are, in pixels from the left edge of the canvas. */
export interface BarPlaces {
  readonly left: number;
  readonly step: number;
  readonly count: number;
  readonly chartWidth: number;
}

const height = 200;
const above = 12;
const below = 28;
const gap = 6;
const barShare = 0.72;
const barWidthMax = 36;
const tickRoomMin = 40;
const tickSpaceMin = 32;
const labelGap = 12;
/** Half a bar's room on both sides, and a little air. */
const sideSteps = 0.6;
const font = '11px system-ui, sans-serif';

/** Sets the size of the canvas to the room it has. Draws nothing where canvases are switched off. */
export function drawChart(canvas: HTMLCanvasElement, data: ChartData): BarPlaces | null {
  const context = canvas.getContext('2d');
  const { names, values, hatchedFrom, line } = data;
  const width = canvas.clientWidth;
  if (context === null || values.length === 0 || width === 0) return null;
  const scale = window.devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.scale(scale, scale);
  context.font = font;
  const widest = (texts: readonly string[]) =>
    Math.ceil(Math.max(0, ...texts.map((text) => context.measureText(text).width)));
  const color = (name: string) => colorOf(canvas, name);

  const all = [...values, ...(line ?? []).filter((value) => value !== null)];
  const [lowest, highest] = [Math.min(0, ...all), Math.max(0, ...all) * 1.05 || 1];
  const roomBelow = height - above - below;
  const yOf = (value: number) => above + ((highest - value) / (highest - lowest)) * roomBelow;
  const ticks = ticksBetween(lowest, highest, roomBelow);
  const tickTexts = ticks.map(data.formatTick);

  const nameWidth = widest(names);
  const left = Math.max(tickRoomMin, widest(tickTexts) + labelGap);
  const right = width - Math.max(14, Math.ceil(nameWidth / 2));
  const step = (right - left) / (names.length - 1 + 2 * sideSteps);
  const xOf = (index: number) => left + (index + sideSteps) * step;

  context.fillStyle = color('--soft');
  context.strokeStyle = color('--line');
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const [index, tick] of ticks.entries()) {
    const y = Math.round(yOf(tick)) + 0.5;
    context.fillText(tickTexts[index] ?? '', left - gap, y);
    stroke(context, [
      [left, y],
      [right, y],
    ]);
  }
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const index of namedBars(names.length, width - tickRoomMin, nameWidth))
    context.fillText(names[index] ?? '', xOf(index), height - below + gap);

  const barWidth = Math.min(step * barShare, barWidthMax);
  const inks = [color('--accent'), color('--bad')].map((solid) => ({
    solid,
    hatched: hatching(context, solid, scale),
  }));
  for (const [index, value] of values.entries()) {
    const ink = inks[value < 0 || data.isBad === true ? 1 : 0];
    if (value === 0 || ink === undefined) continue;
    context.strokeStyle = ink.solid;
    context.fillStyle = index < hatchedFrom ? ink.solid : ink.hatched;
    const radius = barWidth * 0.15;
    const [x, y, zero] = [xOf(index) - barWidth / 2, yOf(value), yOf(0)];
    context.beginPath();
    context.roundRect(x, y, barWidth, zero - y, value > 0 ? [radius, radius, 0, 0] : [0, 0, radius, radius]);
    context.fill();
    if (index >= hatchedFrom) context.stroke();
  }
  if (line !== null) {
    context.strokeStyle = color('--ink');
    context.lineWidth = 1.5;
    context.setLineDash([4, 4]);
    for (const part of partsOf(line)) {
      stroke(
        context,
        part.map(([index, value]) => [xOf(index), yOf(value)]),
      );
    }
  }
  return { left: xOf(0), step, count: values.length, chartWidth: width };
}

function stroke(
  context: CanvasRenderingContext2D,
  points: readonly (readonly [x: number, y: number])[],
): void {
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.stroke();
}

/** Whole numbers, because half an order does not exist: 1, 2 or 5 times a power of ten apart. */
function ticksBetween(lowest: number, highest: number, room: number): readonly number[] {
  const least = (tickSpaceMin * (highest - lowest)) / room;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= least) ?? 10 * power;
  const ticks: number[] = [];
  for (let tick = Math.ceil(lowest / step) * step; tick <= highest; tick += step) ticks.push(tick);
  return ticks;
}

/** The names that fit beside one another; the last one is always among them. */
function namedBars(count: number, width: number, nameWidth: number): readonly number[] {
  const step = Math.max(1, Math.ceil((nameWidth + labelGap) / (width / (count + 0.2))));
  const named: number[] = [];
  for (let at = count - 1; at >= 0; at -= step) named.unshift(at);
  return named;
}

function partsOf(line: readonly (number | null)[]): readonly (readonly [index: number, value: number])[][] {
  const parts: [number, number][][] = [[]];
  for (const [index, value] of line.entries()) {
    if (value === null) parts.push([]);
    else parts.at(-1)?.push([index, value]);
  }
  return parts.filter((part) => part.length > 0);
}

function hatching(on: CanvasRenderingContext2D, color: string, scale: number): CanvasPattern | string {
  const tile = document.createElement('canvas');
  const size = Math.round(6 * scale);
  tile.width = size;
  tile.height = size;
  const context = tile.getContext('2d');
  if (context === null) return color;
  context.strokeStyle = color;
  context.lineWidth = size / 3;
  context.lineCap = 'square';
  for (const offset of [-size, 0, size]) {
    stroke(context, [
      [offset, size],
      [offset + size, 0],
    ]);
  }
  const pattern = on.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern ?? color;
}

/** The color of a variable of the stylesheet in the page's theme. A canvas does not resolve light-dark() itself. */
function colorOf(canvas: HTMLCanvasElement, name: string): string {
  // With reduced motion, a change of color is a short transition, so the computed color would be the previous one.
  canvas.style.setProperty('transition', 'none', 'important');
  canvas.style.color = `var(${name})`;
  return getComputedStyle(canvas).color;
}
