import { CODES } from "belfry:codes";
import { html, nothing, type TemplateResult } from "lit";
import { ref } from "lit/directives/ref.js";
import { drawStrip } from "../charts/strip.js";
import { bytes, count, digits, micros, NONE, plural, short, THIN, visible } from "../format.js";
import { href } from "../routes.js";
import { store } from "../store.js";
import type { ByCode, Second } from "../types.js";

/** A list of codes with their descriptions, counts and bars. */
export function codeList(title: string, entries: readonly (readonly [string, number])[], none: string): TemplateResult {
  const most = Math.max(1, ...entries.map(([, n]) => n));
  return html`<section class="card"><h2>${title}</h2>
    ${
      entries.length
        ? html`<ul class="rows codes">${entries.slice(0, 8).map(
            ([code, n]) => html`<li>
              <div><code>${code}</code><small>${CODES[code] ?? ""}</small></div>
              <meter aria-label=${code} min="0" max=${most} .value=${n}></meter><b>${count(n)}</b></li>`,
          )}</ul>`
        : html`<p class="empty">${none}</p>`
    }</section>`;
}

const codes = (counts: ByCode) =>
  Object.entries(counts)
    .map(([code, n]) => `${code} ${count(n)}`)
    .join(", ");

/** The panel with figures and events of one second. */
export function secondDetails(second: Second): TemplateResult {
  const { latency } = second;
  const slowestLane = second.lanes.reduce(
    (worst, lane, index) => (lane[4] > (second.lanes[worst]?.[4] ?? 0) ? index : worst),
    0,
  );
  const collected = second.gc.reduce((sum, { millis }) => sum + millis, 0);
  const rows: [name: string, value: string | TemplateResult, marked?: boolean][] = [
    ["Deliveries", html`${count(second.out)}<small>${bytes(second.bytesOut)}</small>`],
    ["Publishes", html`${count(second.in)}<small>${bytes(second.bytesIn)}</small>`],
    ["p50, p90", `${micros(latency.p50)}, ${micros(latency.p90)}`],
    ["p99, p99.9", `${micros(latency.p99)}, ${micros(latency.p999)}`],
    ["Sessions", html`+${count(second.opened)} −${count(second.closed)}`],
    [
      "Recovered",
      `${count(second.recovered)} complete, ${count(second.recoveredWithGap)} with gap`,
      second.recoveredWithGap > 0,
    ],
    ["Slow", `${count(second.slow)}, ${bytes(second.queuedBytes)} queued`, second.slow * 100 > second.sessions],
    [
      "GC",
      collected ? second.gc.map(({ name, millis }) => `${name} ${millis}${THIN}ms`).join(", ") : "none",
      collected >= 20,
    ],
    ["Worst lane", second.lanes.length ? `${slowestLane}: ${micros(second.lanes[slowestLane]?.[4])} lag` : NONE],
    ["CPU, heap", html`${digits(second.cpu)}<small>${bytes(second.heapUsed)} of ${bytes(second.heapMax)}</small>`],
    ["Closes", codes(second.closes) || "none"],
    ["Refusals", codes(second.refusals) || "none", Object.keys(second.refusals).length > 0],
  ];
  if (Object.keys(second.drops).length) rows.push(["Dropped", codes(second.drops), true]);
  if (Object.keys(second.conflations).length) rows.push(["Conflated", codes(second.conflations), true]);
  return html`
    ${second.events.map((event) => html`<p class="event">${visible(event.text)}</p>`)}
    <dl class="pairs">${rows.map(
      ([name, value, marked]) => html`<dt>${name}</dt><dd class=${marked ? "marked" : ""}>${value}</dd>`,
    )}</dl>
    ${
      second.slowest.length
        ? html`<h3>${plural(second.slowest.length, "slowest session")}</h3>
          <ul class="rows brief">${second.slowest.map(
            (
              session,
            ) => html`<li><a href=${href("sessions", { session: session.session })}>${visible(session.session)}</a>
              <span class="muted">${session.state}</span><b>${short(session.behindMessages)} msg</b></li>`,
          )}</ul>`
        : nothing
    }`;
}

/** The lag of each lane in the last ten minutes, as a strip of colours, with the figures of one second. */
export function lanes(shown: Second, cursorMillis: number | undefined): TemplateResult {
  const { seconds, nowMillis } = store;
  const share = cursorMillis === undefined ? undefined : 1 - (nowMillis - cursorMillis) / 600_000;
  return html`<section class="card lanes" aria-labelledby="lanes-title">
    <header><h2 id="lanes-title">Lanes</h2><p class="legend"><span class="ramp" aria-hidden="true"></span>lag 0.3${THIN}ms to 1${THIN}s</p></header>
    <table>
      <thead><tr><th scope="col">Lane</th><th scope="col" class="strip">Lag, ten minutes</th><th scope="col" class="n">Lag</th>
        <th scope="col" class="n">Sessions</th><th scope="col" class="n">Out/s</th><th scope="col" class="n slim">Inbox</th></tr></thead>
      <tbody>${store.hello?.lanes.map(({ lane, workgroup }, index) => {
        const now = shown.lanes[index];
        const paint = (canvas: Element | undefined) =>
          canvas && drawStrip(canvas as HTMLCanvasElement, seconds, index, nowMillis);
        return html`<tr>
          <th scope="row">${lane}${String(lane) === workgroup ? nothing : html` <small>${visible(workgroup)}</small>`}</th>
          <td class="strip"><div><canvas width="600" height="1" role="img" aria-label=${`Lag of lane ${lane}`} ${ref(paint)}></canvas>
            ${share === undefined ? nothing : html`<i .style=${`left:${share * 100}%`}></i>`}</div></td>
          <td class="n">${micros(now?.[4])}</td><td class="n">${count(now?.[0])}</td><td class="n">${short(now?.[2])}</td>
          <td class="n slim">${bytes(now?.[5])}</td></tr>`;
      })}</tbody>
    </table>
  </section>`;
}
