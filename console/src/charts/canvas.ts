/** A canvas in device pixels whose context draws in CSS pixels. */
export interface Surface {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

/** Fits a canvas to its place in the page and clears it; returns undefined if the canvas has no size. */
export function surface(canvas: HTMLCanvasElement): Surface | undefined {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const context = canvas.getContext("2d");
  if (!width || !height || !context) return undefined;
  const scale = globalThis.devicePixelRatio || 1;
  const pixelWidth = Math.round(width * scale);
  const pixelHeight = Math.round(height * scale);
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height, scale };
}

/** The horizontal area of a chart: 600 columns, one per second. The last column is the latest second. */
export interface Columns {
  readonly left: number;
  readonly width: number;
  readonly endMillis: number;
}

const COLUMNS = 600;

export const columnOf = (millis: number, endMillis: number): number =>
  COLUMNS - 1 - Math.round((endMillis - millis) / 1000);

export const xOf = (columns: Columns, millis: number): number =>
  columns.left + ((columnOf(millis, columns.endMillis) + 0.5) * columns.width) / COLUMNS;

/** Returns the time of the column at a horizontal coordinate. */
export const millisAt = (columns: Columns, x: number): number => {
  const column = Math.min(COLUMNS - 1, Math.max(0, Math.floor(((x - columns.left) * COLUMNS) / columns.width)));
  return columns.endMillis - (COLUMNS - 1 - column) * 1000;
};

/** Draws a line through points; an undefined point interrupts the line. */
export function line(
  context: CanvasRenderingContext2D,
  points: readonly (readonly [x: number, y: number] | undefined)[],
): void {
  context.beginPath();
  let drawing = false;
  for (const point of points) {
    if (!point) {
      drawing = false;
      continue;
    }
    if (drawing) context.lineTo(point[0], point[1]);
    else context.moveTo(point[0], point[1]);
    drawing = true;
  }
  context.stroke();
}
