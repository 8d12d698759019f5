import { CODES } from "belfry:codes";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { columnOf, millisAt, xOf } from "../../src/charts/canvas.js";
import { heatIndex, lagIndex, latencyShare } from "../../src/charts/scale.js";
import { squarify } from "../../src/charts/squares.js";
import { href, parseRoute } from "../../src/routes.js";
import { sample, shellQuoted } from "../../src/samples.js";
import { sum, sumByCode } from "../../src/totals.js";
import { verdict } from "../../src/verdict.js";
import { second, state } from "../support/mock-data.js";

const latest = second(600, 1_763_940_000_000);

test("a server without alerts is well", () => {
  const well = verdict(state(latest, true), latest);
  assert.equal(well.kind, "good");
  assert.equal(well.sentence, "All is well.");
  assert.match(well.detail, /sessions, .* messages\/s delivered, p99 2\.11\u202fms in the last minute/);
});

test("the sentence states what is wrong and on which node", () => {
  const bad = verdict(state(latest, false), latest);
  assert.equal(bad.kind, "bad");
  assert.equal(bad.sentence, "2 problems: node push-3:8800 does not report; many slow readers on this node.");
  const draining = verdict({ ...state(latest, true), ready: false, reason: "draining" }, latest);
  assert.equal(draining.sentence, "This node is not ready (draining).");
  const noted = state(latest, false).alerts.filter(({ severity }) => severity === "info");
  assert.equal(verdict({ ...state(latest, true), alerts: noted }, latest).sentence, "All is well; 1 note.");
});

test("an address of a page keeps its parameters", () => {
  const link = href("sessions", { search: "a b&c", session: "<img>", page: 0, sort: "" });
  const { page, parameters } = parseRoute(link);
  assert.equal(page, "sessions");
  assert.deepEqual(
    [...parameters],
    [
      ["search", "a b&c"],
      ["session", "<img>"],
    ],
  );
  assert.equal(parseRoute("#/unknown").page, "now");
  assert.equal(parseRoute("").page, "now");
  assert.equal(href("now"), "#/now");
});

test("boxes fill the area in proportion to their weights", () => {
  const boxes = squarify([60, 20, 10, 5, 5], { left: 0, top: 0, width: 400, height: 200 });
  const areas = boxes.map(({ width, height }) => width * height);
  assert.deepEqual(areas.map(Math.round), [48_000, 16_000, 8000, 4000, 4000]);
  for (const { left, top, width, height } of boxes) {
    assert.ok(left >= 0 && top >= 0 && left + width <= 400.001 && top + height <= 200.001);
    assert.ok(Math.max(width / height, height / width) < 3);
  }
  assert.deepEqual(squarify([], { left: 0, top: 0, width: 10, height: 10 }), []);
});

test("a second has one column, from ten minutes ago to now", () => {
  const end = 1_763_940_000_000;
  assert.equal(columnOf(end, end), 599);
  assert.equal(columnOf(end - 599_000, end), 0);
  const columns = { left: 50, width: 900, endMillis: end };
  for (const back of [0, 1, 300, 599]) {
    assert.equal(millisAt(columns, xOf(columns, end - back * 1000)), end - back * 1000);
  }
});

test("the axis of the latency is logarithmic from 50 µs to 5 s", () => {
  assert.equal(latencyShare(10), 0);
  assert.equal(latencyShare(5_000_000), 1);
  assert.ok(Math.abs(latencyShare(15_811) - 0.5) < 0.001);
  assert.equal(heatIndex(0, 100), 0);
  assert.ok(heatIndex(1, 1_000_000) > 20);
  assert.equal(heatIndex(100, 100), 255);
  assert.equal(lagIndex(0), 0);
  assert.equal(lagIndex(1_000_000), 255);
});

test("the legend of the lanes has the colours of the strips", () => {
  const css = readFileSync("src/styles/base.css", "utf8");
  const source = readFileSync("src/charts/colours.ts", "utf8");
  const legends = [...css.matchAll(/--lag: ([^;]+);/g)].map(([, colours]) => colours);
  const strips = [...source.matchAll(/lag: ramp\(\[([^\]]+)\]\)/g)].map(([, colours = ""]) =>
    colours.replaceAll('"', ""),
  );
  assert.equal(legends.length, 2);
  assert.deepEqual(legends, strips);
});

test("counts by code are added up, the largest first", () => {
  const seconds = [{ closes: { a: 1, b: 5 } }, { closes: { a: 1 } }] as never;
  assert.deepEqual(
    sumByCode(seconds, (each) => each.closes),
    [
      ["b", 5],
      ["a", 2],
    ],
  );
  assert.equal(
    sum([{ recovered: 2 }, { recovered: 3 }] as never, (each) => each.recovered),
    5,
  );
});

test("samples quote subjects and payloads for their language", () => {
  const call = {
    server: "ws://127.0.0.1:8800",
    http: "http://127.0.0.1:8800",
    subject: "/a b/'$(id)'",
    data: `it's "quoted" \\ \${x} \u2028`,
    retain: true,
    history: 10,
    token: false,
  };
  const curl = sample("curl", call);
  assert.match(curl, /subject=\/a%20b\/'\\''%24\(id\)'\\''&history=10'/);
  assert.match(curl, /retain=true/);
  assert.equal(shellQuoted("it's"), `'it'\\''s'`);
  for (const language of ["JavaScript", "Python", "Java"] as const) {
    assert.ok(sample(language, call).includes(`"it's \\"quoted\\" \\\\ \${x} \\u2028"`), language);
  }
  assert.doesNotMatch(sample("Java", { ...call, subject: "/a/*" }), /history/);
});

test("the codes of the protocol have sentences", () => {
  assert.equal(CODES["client-closed"], "The client closed the connection.");
  assert.ok(CODES["tls-failed"] && CODES["conflate-requested"]);
});
