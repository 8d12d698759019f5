import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, count, duration, micros, percent, plural, short, visible } from "../../src/format.js";

const thin = (text: string) => text.replaceAll("_", "\u202f");

test("numbers have thin separators between groups and before units", () => {
  assert.equal(count(15000), thin("15_000"));
  assert.equal(count(999), "999");
  assert.equal(count(-1234567), thin("−1_234_567"));
  assert.equal(count(undefined), "–");
  assert.equal(short(9999), thin("9_999"));
  assert.equal(short(1_000_000), thin("1.00_M"));
  assert.equal(short(47_100), thin("47.1_k"));
  assert.equal(short(999_960), thin("1.00_M"));
  assert.equal(bytes(1023), thin("1_023_B"));
  assert.equal(bytes(64 * 1024), thin("64.0_KB"));
  assert.equal(bytes(536_870_912), thin("512_MB"));
});

test("times have the unit that fits", () => {
  assert.equal(micros(850), thin("850_µs"));
  assert.equal(micros(3420), thin("3.42_ms"));
  assert.equal(micros(999_400), thin("999_ms"));
  assert.equal(micros(1_200_000), thin("1.20_s"));
  assert.equal(micros(undefined), "–");
  assert.equal(duration(400), thin("0_s"));
  assert.equal(duration(185_000), thin("3_min 5_s"));
  assert.equal(duration(187_200_000), thin("2_d 4_h"));
  assert.equal(duration(86_400_000), thin("1_d"));
});

test("a share is rounded down, so that only the whole is 100 %", () => {
  assert.equal(percent(198_310, 198_351), thin("99.97_%"));
  assert.equal(percent(5, 5), thin("100_%"));
  assert.equal(percent(0, 0), "–");
});

test("one thing has no plural", () => {
  assert.equal(plural(1, "message"), "1 message");
  assert.equal(plural(2000, "message"), thin("2_000 messages"));
});

test("characters that reorder or hide text are visible", () => {
  assert.equal(visible("a\u202eb\u0000c\u200b"), "a\\u202eb\\u0000c\\u200b");
  assert.equal(visible("/prices/€ é 日本 👍"), "/prices/€ é 日本 👍");
  assert.equal(visible("<img onerror=a>"), "<img onerror=a>");
});
