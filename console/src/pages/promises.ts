import { CODES } from "belfry:codes";
import { html, nothing, type TemplateResult } from "lit";
import { count, duration, percent } from "../format.js";
import { store } from "../store.js";
import { sum, sumByCode } from "../totals.js";
import type { ByCode, Second, State } from "../types.js";
import { badge, View, waiting } from "../view.js";

interface Promised {
  readonly name: string;
  readonly sentence: string;
  readonly total: (state: State) => number;
  readonly recent?: (second: Second) => number;
  readonly bad?: boolean;
}

const total = (counts: ByCode) => Object.values(counts).reduce((all, n) => all + n, 0);

const PROMISES: readonly Promised[] = [
  {
    name: "Recovered completely",
    sentence: "A client returned with its position and received every message that it had missed.",
    total: (state) => state.totals.recovered,
    recent: (second) => second.recovered,
  },
  {
    name: "Recovered with a gap",
    sentence: "The history no longer had some of the missed messages. The client was notified of the gap.",
    total: (state) => state.totals.recoveredWithGap,
    recent: (second) => second.recoveredWithGap,
    bad: true,
  },
  {
    name: "Messages dropped",
    sentence: "A slow session did not receive these messages. The client was notified of the gap with both bounds.",
    total: (state) => state.totals.dropped,
    recent: (second) => total(second.drops),
    bad: true,
  },
  {
    name: "Messages conflated",
    sentence: "Later messages of the subject replaced these messages, by request or because a session was slow.",
    total: (state) => state.totals.conflated,
    recent: (second) => total(second.conflations),
  },
  {
    name: "Publishes refused",
    sentence: "The publisher got a code with the reason, and nothing was published.",
    total: (state) => state.totals.publishesRefused,
    recent: (second) => second.publishesRefused,
    bad: true,
  },
  {
    name: "Duplicates removed",
    sentence: "A publisher repeated a message with the same id, and the server delivered it once.",
    total: (state) => state.totals.duplicates,
  },
  {
    name: "Evicted early",
    sentence: "The memory or disk for the history was full, so the server removed messages before they expired.",
    total: (state) => state.totals.early,
    bad: true,
  },
];

const GROUPS = [
  { title: "Closes", of: "closes", sentence: "Reasons for the end of sessions and connections." },
  { title: "Refusals", of: "refusals", sentence: "Requests that the server refused with a code." },
  { title: "Drops", of: "drops", sentence: "Reasons for messages that were not delivered to a session." },
  { title: "Conflations", of: "conflations", sentence: "Reasons for delivering only the latest message of a subject." },
] as const;

const table = (kind: "promises" | "codes", heading: string, rows: readonly TemplateResult[]): TemplateResult =>
  html`<table class=${`list ${kind}`}>
    <thead><tr><th scope="col">${heading}</th><th scope="col" class="n">Since the start</th><th scope="col" class="n">Ten minutes</th></tr></thead>
    <tbody>${rows}</tbody></table>`;

const row = (name: TemplateResult, sentence: string | undefined, ever: unknown, recent: unknown): TemplateResult =>
  html`<tr><th scope="row">${name}${sentence ? html`<small>${sentence}</small>` : nothing}</th>
    <td class="n">${ever}</td><td class="n">${recent}</td></tr>`;

/** The page Promises: recoveries, lost and refused messages, since the start and within ten minutes. */
export class PromisesPage extends View {
  protected override render(): TemplateResult {
    const { state, hello } = store;
    if (!state) return html`<div class="heading"><h1>Promises</h1></div>${waiting()}`;
    const { recovered, recoveredWithGap } = state.totals;
    const all = recovered + recoveredWithGap;
    const since = hello ? `since the start ${duration(store.nowMillis - hello.startedMillis)} ago` : "since the start";
    return html`
      <div class="heading"><h1>Promises</h1>
        <p>${all ? `${percent(recovered, all)} of ${count(all)} recoveries were complete, ${since}` : `No recovery was needed ${since}`}</p></div>
      <div class="card scroll" tabindex="0" role="region" aria-label="Promises">${this.#promises(state)}</div>
      <div class="columns">${GROUPS.map(({ title, of, sentence }) => {
        const codes = Object.entries(state[of]).sort((a, b) => b[1] - a[1]);
        return html`<section class="card"><h2>${title} by code</h2><p class="hint">${sentence}</p>
          ${codes.length ? this.#codes(codes, of) : html`<p class="empty">None since the start.</p>`}</section>`;
      })}</div>`;
  }

  #promises(state: State): TemplateResult {
    const rows = PROMISES.map((promise) => {
      const recent = promise.recent && sum(store.seconds, promise.recent);
      const shown = promise.bad && recent ? badge("warn", count(recent)) : count(recent);
      const counted = recent === undefined ? html`<span class="muted">not counted</span>` : shown;
      return row(html`<b>${promise.name}</b>`, promise.sentence, html`<b>${count(promise.total(state))}</b>`, counted);
    });
    return table("promises", "Promise", rows);
  }

  #codes(codes: readonly [string, number][], of: (typeof GROUPS)[number]["of"]): TemplateResult {
    const recent = new Map(sumByCode(store.seconds, (second) => second[of]));
    const rows = codes.map(([code, n]) =>
      row(html`<code>${code}</code>`, CODES[code], count(n), count(recent.get(code) ?? 0)),
    );
    return table("codes", "Code", rows);
  }
}
