export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Divides an area among weights, largest first, into boxes that are nearly square (squarified treemap). */
export function squarify(weights: readonly number[], area: Box): Box[] {
  const boxes: Box[] = [];
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total <= 0) return boxes;
  const scale = (area.width * area.height) / total;
  let { left, top, width, height } = area;
  let at = 0;
  while (at < weights.length) {
    const side = Math.min(width, height);
    let end = at;
    let sum = 0;
    let worst = Number.POSITIVE_INFINITY;
    while (end < weights.length) {
      const next = sum + (weights[end] as number) * scale;
      const shape = worstShape(weights, at, end, next, scale, side);
      if (shape > worst) break;
      worst = shape;
      sum = next;
      end++;
    }
    const depth = side > 0 ? sum / side : 0;
    let along = 0;
    for (; at < end; at++) {
      const length = depth > 0 ? ((weights[at] as number) * scale) / depth : 0;
      boxes.push(
        width >= height
          ? { left, top: top + along, width: depth, height: length }
          : { left: left + along, top, width: length, height: depth },
      );
      along += length;
    }
    if (width >= height) {
      left += depth;
      width -= depth;
    } else {
      top += depth;
      height -= depth;
    }
  }
  return boxes;
}

/** Returns the largest ratio between the two sides of a box, among the boxes of a row. */
function worstShape(
  weights: readonly number[],
  from: number,
  to: number,
  sum: number,
  scale: number,
  side: number,
): number {
  let worst = 0;
  for (let index = from; index <= to; index++) {
    const area = (weights[index] as number) * scale;
    const ratio = (side * side * area) / (sum * sum);
    worst = Math.max(worst, ratio, 1 / ratio);
  }
  return worst;
}
