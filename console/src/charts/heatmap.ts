import { micros } from "../format.js";
import type { Second } from "../types.js";
import { type Columns, columnOf, line, millisAt, surface, xOf } from "./canvas.js";
import { palette, token } from "./colours.js";
import { HIGHEST, heatIndex, LOWEST, latencyShare } from "./scale.js";

const LEFT = 52;
const RIGHT = 44;
const TOP = 8;
const BOTTOM = 22;
const TICKS = [50, 100, 1000, 10_000, 100_000, 1_000_000, HIGHEST];
/** Number of rows of the picture; a row is a step on the logarithmic axis. */
const ROWS = 100;

const PERCENTILES = [
  { name: "max", of: (second: Second) => second.latency.max, colour: "--max", dash: [1.5, 2.5], width: 1 },
  { name: "p99", of: (second: Second) => second.latency.p99, colour: "--p99", dash: [], width: 1.6 },
  { name: "p50", of: (second: Second) => second.latency.p50, colour: "--p50", dash: [6, 2], width: 1.6 },
] as const;

export interface Heat {
  readonly seconds: readonly Second[];
  readonly bounds: readonly number[];
  readonly endMillis: number;
  readonly cursorMillis: number | undefined;
  readonly frozen: boolean;
}

const picture = document.createElement("canvas");
picture.width = 600;
picture.height = ROWS;

const columns = (width: number, endMillis: number): Columns => ({ left: LEFT, width: width - LEFT - RIGHT, endMillis });

/** Returns the time of the second at a horizontal coordinate of the canvas. */
export const heatMillisAt = (canvas: HTMLCanvasElement, x: number, endMillis: number): number =>
  millisAt(columns(canvas.clientWidth, endMillis), x);

/** Draws ten minutes of latency: a column per second, a row per bucket, and lines for the percentiles. */
export function drawHeat(canvas: HTMLCanvasElement, heat: Heat): void {
  const place = surface(canvas);
  if (!place) return;
  const { context, width, height } = place;
  const area = columns(width, heat.endMillis);
  const tall = height - TOP - BOTTOM;
  const yOf = (value: number) => TOP + (1 - latencyShare(value)) * tall;

  paint(heat);
  context.fillStyle = token("--plot");
  context.fillRect(area.left, TOP, area.width, tall);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, area.left, TOP, area.width, tall);

  context.font = `11px ${token("--font")}`;
  context.textBaseline = "middle";
  context.lineWidth = 1;
  drawAxes(context, area, tall, yOf);
  drawPercentiles(context, heat.seconds, area, yOf);
  drawCursor(context, heat, area, tall);
}

/** Paints the buckets into the picture of 600 columns. */
function paint({ seconds, bounds, endMillis }: Heat): void {
  const context = picture.getContext("2d");
  if (!context) return;
  const image = context.createImageData(600, ROWS);
  const { heat } = palette();
  const most = seconds.reduce((largest, { buckets }) => Math.max(largest, ...buckets.map(([, n]) => n)), 1);
  for (const second of seconds) {
    const column = columnOf(second.time, endMillis);
    if (column < 0 || column >= 600) continue;
    for (const [bucket, count] of second.buckets) {
      const above = bounds[bucket] ?? HIGHEST;
      const below = bucket === 0 ? LOWEST / 1.26 : (bounds[bucket - 1] ?? HIGHEST / 1.26);
      const first = Math.min(ROWS - 1, Math.floor((1 - latencyShare(above)) * ROWS));
      const end = Math.max(first + 1, Math.round((1 - latencyShare(below)) * ROWS));
      const colour = heatIndex(count, most) * 4;
      for (let row = first; row < Math.min(end, ROWS); row++) {
        image.data.set(heat.subarray(colour, colour + 4), (row * 600 + column) * 4);
      }
    }
  }
  context.putImageData(image, 0, 0);
}

function drawAxes(
  context: CanvasRenderingContext2D,
  area: Columns,
  tall: number,
  yOf: (value: number) => number,
): void {
  context.strokeStyle = token("--grid");
  context.fillStyle = token("--muted");
  context.textAlign = "right";
  for (const tick of TICKS) {
    const y = Math.round(yOf(tick)) + 0.5;
    line(context, [
      [area.left, y],
      [area.left + area.width, y],
    ]);
    // The label of 100 µs would overlap the next label.
    if (tick !== 100 || tall > 240) context.fillText(axisLabel(tick), area.left - 7, y);
  }
  context.textAlign = "center";
  const step = area.width < 420 ? 5 : area.width < 800 ? 2 : 1;
  for (let minute = 0; minute <= 10; minute += step) {
    const x = area.left + area.width * (1 - minute / 10);
    context.fillText(minute ? `−${minute} min` : "now", x, TOP + tall + 13);
  }
}

const axisLabel = (tick: number) =>
  tick === HIGHEST ? "5 s" : tick === 1_000_000 ? "1 s" : micros(tick).replace(/\.0+(?=\D)/, "");

function drawPercentiles(
  context: CanvasRenderingContext2D,
  seconds: readonly Second[],
  area: Columns,
  yOf: (value: number) => number,
): void {
  const labels: { name: string; y: number; colour: string }[] = [];
  for (const { name, of, colour, dash, width } of PERCENTILES) {
    const points = seconds
      .filter((second) => xOf(area, second.time) >= area.left)
      .map((second) => {
        const value = of(second);
        return value === undefined ? undefined : ([xOf(area, second.time), yOf(value)] as const);
      });
    context.setLineDash([]);
    context.lineWidth = width + 2;
    context.strokeStyle = token("--halo");
    if (name !== "max") line(context, points);
    context.setLineDash([...dash]);
    context.lineWidth = width;
    context.strokeStyle = token(colour);
    line(context, points);
    // The label is at the median of ten seconds, so that a single slow second does not move the label.
    const recent = points.slice(-10).flatMap((point) => (point ? [point[1]] : []));
    if (recent.length) {
      recent.sort((a, b) => a - b);
      labels.push({ name, y: recent[recent.length >> 1] as number, colour });
    }
  }
  context.setLineDash([]);
  context.textAlign = "left";
  context.font = `600 11px ${token("--font")}`;
  let above = 0;
  for (const { name, y, colour } of labels.sort((a, b) => a.y - b.y)) {
    above = Math.max(y, above + 13);
    context.fillStyle = token(colour);
    context.fillText(name, area.left + area.width + 7, above);
  }
}

function drawCursor(context: CanvasRenderingContext2D, heat: Heat, area: Columns, tall: number): void {
  if (heat.cursorMillis === undefined) return;
  const x = xOf(area, heat.cursorMillis);
  if (x < area.left) return;
  const half = heat.frozen ? 3 : 2;
  context.strokeStyle = token("--halo");
  context.lineWidth = half * 2;
  line(context, [
    [x, TOP],
    [x, TOP + tall],
  ]);
  context.strokeStyle = token("--cursor");
  context.lineWidth = heat.frozen ? 2 : 1;
  line(context, [
    [x, TOP],
    [x, TOP + tall],
  ]);
  if (!heat.frozen) return;
  context.fillStyle = token("--cursor");
  context.beginPath();
  context.moveTo(x - 6, TOP - 7);
  context.lineTo(x + 6, TOP - 7);
  context.lineTo(x, TOP + 2);
  context.fill();
}
