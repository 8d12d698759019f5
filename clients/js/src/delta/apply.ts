const VALUES = new Int8Array(256).fill(-1);
for (const [value, digit] of [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"].entries())
  VALUES[digit.charCodeAt(0)] = value;

const bad = (why: string) => new Error(`bad delta: ${why}`);

function checksum(data: Uint8Array): number {
  let sum = 0;
  for (const [i, byte] of data.entries()) sum += byte * 2 ** (24 - 8 * (i & 3));
  return sum % 2 ** 32;
}

/**
 * Returns what a delta of Fossil makes of the base. Throws if it is malformed, does not fit the base, or announces more than
 * this number of bytes; nothing is allocated before its length is checked.
 */
export function applyDelta(base: Uint8Array, delta: Uint8Array, bytesMax: number): Uint8Array {
  let at = 0;
  let filled = 0;

  const number = (): number => {
    const start = at;
    let value = 0;
    let digit = VALUES[delta[at] as number] as number;
    while (digit >= 0 && at - start < 7) {
      value = value * 64 + digit;
      digit = VALUES[delta[++at] as number] as number;
    }
    if (at === start || at - start > 6 || value >= 2 ** 32) throw bad("a number");
    return value;
  };
  const operator = () => String.fromCharCode(delta[at++] ?? 0);
  const append = (from: Uint8Array, start: number, length: number) => {
    if (start + length > from.length || filled + length > result.length) throw bad("a length");
    result.set(from.subarray(start, start + length), filled);
    filled += length;
  };

  const length = number();
  if (operator() !== "\n" || length > bytesMax) throw bad(`it announces ${length} bytes`);
  const result = new Uint8Array(length);
  for (;;) {
    const count = number();
    const kind = operator();
    if (kind === ";") {
      if (at !== delta.length || filled !== length || count !== checksum(result)) throw bad("the result");
      return result;
    }
    if (kind === ":") {
      append(delta, at, count);
      at += count;
    } else if (kind === "@") {
      const start = number();
      if (operator() !== ",") throw bad("a copy");
      append(base, start, count);
    } else throw bad("an operator");
  }
}
