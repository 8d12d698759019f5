/** Limits of the latency axis in microseconds. */
export const LOWEST = 50;
export const HIGHEST = 5_000_000;
const DECADES = Math.log10(HIGHEST / LOWEST);

/** Returns the position of a time on the latency axis, from 0 at 50 µs to 1 at 5 s. */
export const latencyShare = (micros: number): number =>
  Math.min(1, Math.max(0, Math.log10(Math.max(micros, LOWEST) / LOWEST) / DECADES));

/** Returns the index of the colour for a count; 0 without deliveries. The exponent keeps low counts visible. */
export const heatIndex = (count: number, most: number): number =>
  count <= 0 ? 0 : Math.round(28 + 227 * (count / Math.max(1, most)) ** 0.4);

/** Returns the index of the colour for the lag of a lane: the weakest colour up to 0.3 ms, the strongest from 1 s. */
export const lagIndex = (micros: number): number =>
  Math.round(255 * Math.min(1, Math.max(0, Math.log10(Math.max(micros, 300) / 300) / Math.log10(1_000_000 / 300))));
