export type Colour = readonly [red: number, green: number, blue: number];

const parse = (hex: string): Colour => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as never;

/** Interpolates 256 colours between the given colours. */
export function ramp(stops: readonly string[]): Uint8ClampedArray {
  const colours = stops.map(parse);
  const table = new Uint8ClampedArray(256 * 4);
  for (let index = 0; index < 256; index++) {
    const at = (index / 255) * (colours.length - 1);
    const left = Math.min(colours.length - 2, Math.floor(at));
    const from = colours[left] as Colour;
    const to = colours[left + 1] as Colour;
    for (let part = 0; part < 3; part++) {
      table[index * 4 + part] = (from[part] as number) + ((to[part] as number) - (from[part] as number)) * (at - left);
    }
    table[index * 4 + 3] = 255;
  }
  return table;
}

interface Palette {
  readonly heat: Uint8ClampedArray;
  readonly lag: Uint8ClampedArray;
}

// The lightness of each ramp changes in one direction only, so that the ramp can be read without colour vision.
const LIGHT: Palette = {
  heat: ramp(["#e3edf9", "#b4d0f0", "#6fa6e3", "#2f74c8", "#1c4a9a", "#10275e"]),
  lag: ramp(["#edf0f4", "#f7e3b5", "#f0b54a", "#d9741c", "#a0300f", "#5c1206"]),
};
const DARK: Palette = {
  heat: ramp(["#16243b", "#1c3f70", "#2566ad", "#3f95d8", "#86c9f2", "#e9f8ff"]),
  lag: ramp(["#1a222e", "#4a3a1c", "#8a5f17", "#cf8a22", "#f4bd5f", "#fff1d0"]),
};

export const palette = (): Palette => (matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT);

/** Returns the value of a custom property of the style sheet. */
export const token = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
