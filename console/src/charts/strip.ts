import type { Second } from "../types.js";
import { columnOf } from "./canvas.js";
import { palette } from "./colours.js";
import { lagIndex } from "./scale.js";

/** Paints ten minutes of a lane's lag into a canvas of 600 x 1 pixels; the style sheet stretches the canvas. */
export function drawStrip(
  canvas: HTMLCanvasElement,
  seconds: readonly Second[],
  lane: number,
  endMillis: number,
): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(600, 1);
  const { lag } = palette();
  for (const second of seconds) {
    const column = columnOf(second.time, endMillis);
    const micros = second.lanes[lane]?.[4];
    if (micros === undefined || column < 0 || column >= 600) continue;
    const colour = lagIndex(micros) * 4;
    image.data.set(lag.subarray(colour, colour + 4), column * 4);
  }
  context.putImageData(image, 0, 0);
}
