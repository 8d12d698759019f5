/** Limits of the latency axis in microseconds. */
export const LOWEST = 50;
export const HIGHEST = 5_000_000;
const DECADES = Math.log10(HIGHEST / LOWEST);

/** The share of the latency axis below a time: 0 at 50 µs, 1 at 5 s. */
export const latencyShare = (micros: number): number =>
  Math.min(1, Math.max(0, Math.log10(Math.max(micros, LOWEST) / LOWEST) / DECADES));

/** The index of a colour for a count: a power below 1 keeps rare deliveries visible, 0 is none. */
export const heatIndex = (count: number, most: number): number =>
  count <= 0 ? 0 : Math.round(28 + 227 * (count / Math.max(1, most)) ** 0.4);

/** The index of a colour for the lag of a lane: below 1 ms it is calm, at 1 s and above it has the strongest colour. */
export const lagIndex = (micros: number): number =>
  Math.round(255 * Math.min(1, Math.max(0, Math.log10(Math.max(micros, 300) / 300) / Math.log10(1_000_000 / 300))));
