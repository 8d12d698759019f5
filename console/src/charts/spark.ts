import type { Second } from "../types.js";
import { line, surface, xOf } from "./canvas.js";
import { token } from "./colours.js";

export interface Spark {
  readonly seconds: readonly Second[];
  readonly value: (second: Second) => number | undefined;
  readonly endMillis: number;
  /** Time of the second under the cursor. */
  readonly cursorMillis: number | undefined;
}

/** Draws ten minutes of one figure from 0 to its largest value. */
export function drawSpark(canvas: HTMLCanvasElement, { seconds, value, endMillis, cursorMillis }: Spark): void {
  const place = surface(canvas);
  if (!place) return;
  const { context, width, height } = place;
  const columns = { left: 0, width, endMillis };
  const values = seconds.map(value);
  const top = Math.max(1e-9, ...values.map((each) => each ?? 0));
  const base = height - 1.5;
  const points = seconds.map((second, index) => {
    const each = values[index];
    return each === undefined ? undefined : ([xOf(columns, second.time), base - (each / top) * (height - 5)] as const);
  });
  const known = points.filter((point) => point !== undefined);
  const first = known[0];
  const last = known.at(-1);
  context.strokeStyle = token("--line");
  context.lineWidth = 1;
  line(context, [
    [0, height - 0.5],
    [width, height - 0.5],
  ]);
  if (!first || !last) return;

  context.beginPath();
  context.moveTo(first[0], base);
  for (const [x, y] of known) context.lineTo(x, y);
  context.lineTo(last[0], base);
  context.fillStyle = token("--spark-fill");
  context.fill();
  context.strokeStyle = token("--accent");
  context.lineWidth = 1.4;
  context.lineJoin = "round";
  line(context, points);

  const index = cursorMillis === undefined ? -1 : seconds.findIndex((second) => second.time === cursorMillis);
  const mark = index >= 0 ? points[index] : last;
  if (index >= 0 && mark) {
    context.strokeStyle = token("--cursor");
    context.lineWidth = 1;
    line(context, [
      [mark[0], 0],
      [mark[0], height],
    ]);
  }
  if (mark) {
    context.fillStyle = token("--accent");
    context.beginPath();
    context.arc(Math.min(mark[0], width - 2.5), mark[1], 2.5, 0, 7);
    context.fill();
  }
}
