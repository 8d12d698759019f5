import UPlot from "uplot";
import type { Second } from "../types.js";
import { token } from "./colours.js";

export interface Spark {
  readonly seconds: readonly Second[];
  readonly value: (second: Second) => number | undefined;
  readonly endMillis: number;
  /** Time of the second under the cursor. */
  readonly cursorMillis: number | undefined;
}

const SPAN_MILLIS = 599_000;
const MARK_RADIUS = 2.5;

interface Drawn {
  readonly plot: UPlot;
  shown: Spark;
}

const drawn = new WeakMap<HTMLElement, Drawn>();

/** Draws ten minutes of one figure from 0 to its largest value, in the given element. */
export function drawSpark(place: HTMLElement, spark: Spark): void {
  const size = { width: place.clientWidth, height: place.clientHeight };
  if (!size.width || !size.height) return;
  const data: UPlot.AlignedData = [
    spark.seconds.map((second) => second.time),
    spark.seconds.map((second) => spark.value(second) ?? null),
  ];
  const known = drawn.get(place);
  if (known) {
    known.shown = spark;
    if (known.plot.width !== size.width || known.plot.height !== size.height) known.plot.setSize(size);
    known.plot.setData(data);
  } else {
    const state = { shown: spark } as { plot: UPlot; shown: Spark };
    drawn.set(place, state);
    state.plot = new UPlot({ ...size, ...options(() => state.shown) }, data, place);
  }
}

function options(shown: () => Spark): Omit<UPlot.Options, "width" | "height"> {
  return {
    legend: { show: false },
    cursor: { show: false },
    padding: [4, 0, 1, 0],
    axes: [{ show: false }, { show: false }],
    scales: {
      x: { time: false, range: () => [shown().endMillis - SPAN_MILLIS, shown().endMillis] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max : 1] },
    },
    series: [
      {},
      {
        stroke: () => token("--accent"),
        fill: () => token("--spark-fill"),
        width: 1.4,
        points: { show: false },
      },
    ],
    hooks: { draw: [(plot) => drawMark(plot, shown())] },
  };
}

/** Marks the second under the cursor, or the latest second if there is no cursor. */
function drawMark(plot: UPlot, { seconds, value, cursorMillis }: Spark): void {
  const found = cursorMillis === undefined ? undefined : seconds.find((second) => second.time === cursorMillis);
  const second = found ?? seconds.at(-1);
  const marked = second && value(second);
  if (!second || marked === undefined) return;
  const { ctx, bbox } = plot;
  const scale = globalThis.devicePixelRatio || 1;
  const x = plot.valToPos(second.time, "x", true);
  // uPlot caches the styles that it sets, so this function must restore them.
  ctx.save();
  if (found) {
    ctx.fillStyle = token("--cursor");
    ctx.fillRect(x - scale / 2, bbox.top, scale, bbox.height);
  }
  ctx.fillStyle = token("--accent");
  ctx.beginPath();
  ctx.arc(
    Math.min(x, bbox.left + bbox.width - MARK_RADIUS * scale),
    plot.valToPos(marked, "y", true),
    MARK_RADIUS * scale,
    0,
    7,
  );
  ctx.fill();
  ctx.restore();
}
