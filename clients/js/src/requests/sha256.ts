import { encodeText } from "../payload.js";

const TEXT_BYTES_MAX = 55;

/** The first 32 bits of the fractional part. */
const fraction = (x: number) => ((x - Math.floor(x)) * 2 ** 32) | 0;

const rotate = (x: number, bits: number) => (x >>> bits) | (x << (32 - bits));

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  return primes;
}

/** Returns the SHA-256 of a text of one block. `crypto.subtle` is not used, because pages over http do not have it. */
export function sha256(text: string): Uint8Array {
  const bytes = encodeText(text);
  if (bytes.length > TEXT_BYTES_MAX) throw new RangeError("more than one block");
  const block = new DataView(new ArrayBuffer(64));
  bytes.forEach((byte, i) => {
    block.setUint8(i, byte);
  });
  block.setUint8(bytes.length, 128);
  block.setUint32(60, bytes.length * 8);

  const primes = firstPrimes(64);
  const start = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  let state = start;
  const words: number[] = [];
  for (let i = 0; i < 64; i++) {
    const at = (back: number) => words[i - back] as number;
    if (i < 16) {
      words.push(block.getInt32(i * 4));
    } else {
      const early = rotate(at(15), 7) ^ rotate(at(15), 18) ^ (at(15) >>> 3);
      const late = rotate(at(2), 17) ^ rotate(at(2), 19) ^ (at(2) >>> 10);
      words.push((at(16) + early + at(7) + late) | 0);
    }
    const [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
    const first =
      h +
      (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
      ((e & f) ^ (~e & g)) +
      fraction(Math.cbrt(primes[i] as number)) +
      (words[i] as number);
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    state = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => {
    digest.setInt32(i * 4, word + (start[i] as number));
  });
  return new Uint8Array(digest.buffer);
}
