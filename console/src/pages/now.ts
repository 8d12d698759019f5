import { html, nothing, type TemplateResult } from "lit";
import { drawHeat, heatMillisAt } from "../charts/heatmap.js";
import { drawSpark } from "../charts/spark.js";
import { bytes, clock, count, duration, micros, NONE, short, THIN, visible } from "../format.js";
import { href } from "../routes.js";
import { SECONDS, store } from "../store.js";
import { isNotable, sumByCode } from "../totals.js";
import type { Second, State } from "../types.js";
import { bySeverity, verdict } from "../verdict.js";
import { badge, View, waiting } from "../view.js";
import { codeList, lanes, secondDetails } from "./parts.js";

interface Figure {
  readonly name: string;
  readonly of: (second: Second) => number | undefined;
  readonly show: (value: number | undefined) => string;
  readonly unit: string;
}

const FIGURES: readonly Figure[] = [
  { name: "Sessions", of: (s) => s.sessions, show: count, unit: "" },
  { name: "In", of: (s) => s.in, show: short, unit: "msg/s" },
  { name: "Out", of: (s) => s.out, show: short, unit: "msg/s" },
  { name: "Traffic out", of: (s) => s.bytesOut, show: bytes, unit: "/s" },
  { name: "Latency p99", of: (s) => s.latency.p99, show: micros, unit: "" },
  { name: "Slow sessions", of: (s) => s.slow, show: count, unit: "" },
];

/** The page Now: the state in one sentence, the figures of the last ten minutes, latency, lanes and subjects. */
export class NowPage extends View {
  #hoverMillis: number | undefined;
  #frozenMillis: number | undefined;
  #drawing = 0;

  protected override onOpen(signal: AbortSignal): void {
    const observer = new ResizeObserver(() => this.#draw());
    observer.observe(this);
    signal.addEventListener("abort", () => observer.disconnect());
  }

  /** The time of the second that the charts mark; undefined for the latest. */
  get #cursorMillis(): number | undefined {
    return this.#frozenMillis ?? this.#hoverMillis;
  }

  #secondAt(millis: number | undefined): Second | undefined {
    if (millis === undefined) return store.latest;
    let best: Second | undefined;
    for (const second of store.seconds) {
      if (!best || Math.abs(second.time - millis) < Math.abs(best.time - millis)) best = second;
    }
    return best;
  }

  #freeze(millis: number | undefined): void {
    this.#frozenMillis = millis === undefined ? undefined : this.#secondAt(millis)?.time;
    this.#hoverMillis = undefined;
    this.requestUpdate();
  }

  #move(steps: number): void {
    const { seconds } = store;
    const at = seconds.findIndex((second) => second.time === (this.#cursorMillis ?? store.latest?.time));
    const second = seconds[Math.min(seconds.length - 1, Math.max(0, at + steps))];
    if (!second) return;
    if (this.#frozenMillis === undefined) this.#hoverMillis = second.time;
    else this.#frozenMillis = second.time;
    this.requestUpdate();
  }

  #jump(direction: 1 | -1): void {
    const from = this.#cursorMillis ?? (direction < 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY);
    const notable = store.seconds.filter(isNotable).filter(({ time }) => (direction > 0 ? time > from : time < from));
    const second = direction > 0 ? notable[0] : notable.at(-1);
    if (second) this.#freeze(second.time);
  }

  #onKey(event: KeyboardEvent): void {
    const step = event.shiftKey ? 10 : 1;
    const moves: { [key: string]: number } = {
      ArrowLeft: -step,
      ArrowDown: -step,
      ArrowRight: step,
      ArrowUp: step,
      PageDown: -60,
      PageUp: 60,
      Home: -SECONDS,
      End: SECONDS,
    };
    const move = moves[event.key];
    if (move !== undefined) this.#move(move);
    else if (event.key === "Enter" || event.key === " ") {
      this.#freeze(this.#frozenMillis === undefined ? (this.#hoverMillis ?? store.latest?.time) : undefined);
    } else if (event.key === "Escape") this.#freeze(undefined);
    else return;
    event.preventDefault();
  }

  #onPointer(event: PointerEvent): void {
    const canvas = event.currentTarget as HTMLCanvasElement;
    const millis = heatMillisAt(canvas, event.offsetX, store.nowMillis);
    if (event.type === "click") this.#freeze(this.#frozenMillis === undefined ? millis : undefined);
    else if (this.#frozenMillis === undefined) {
      this.#hoverMillis = this.#secondAt(millis)?.time;
      this.requestUpdate();
    }
  }

  protected override updated(): void {
    this.#draw();
  }

  #draw(): void {
    cancelAnimationFrame(this.#drawing);
    this.#drawing = requestAnimationFrame(() => {
      const { seconds, nowMillis: endMillis, hello } = store;
      const cursorMillis = this.#cursorMillis;
      for (const [index, place] of this.querySelectorAll<HTMLElement>("div.spark").entries()) {
        const figure = FIGURES[index];
        if (figure) drawSpark(place, { seconds, value: figure.of, endMillis, cursorMillis });
      }
      const heat = this.querySelector<HTMLCanvasElement>("canvas.heat");
      const frozen = this.#frozenMillis !== undefined;
      if (heat) drawHeat(heat, { seconds, bounds: hello?.latencyBounds ?? [], endMillis, cursorMillis, frozen });
    });
  }

  protected override render(): TemplateResult {
    const { latest, state } = store;
    if (!latest || !state) return html`<h1 class="hidden">Now</h1>${waiting()}`;
    const shown = this.#secondAt(this.#cursorMillis) ?? latest;
    return html`
      <h1 class="hidden">Now</h1>
      ${this.#verdict(state, latest)}
      <section class="figures" aria-label="Figures">${FIGURES.map((figure) => this.#figure(figure, shown))}</section>
      <div class="columns wide-left">
        ${this.#latency(shown)}
        <section class="card second" aria-labelledby="second-title">
          <header>
            <h2 id="second-title">${this.#cursorMillis === undefined ? "This second" : "The second"} <time>${clock(shown.time)}</time></h2>
            ${this.#frozenMillis === undefined ? nothing : html`<button @click=${() => this.#freeze(undefined)}>Release</button>`}
          </header>
          ${secondDetails(shown)}
        </section>
      </div>
      <div class="columns">
        ${lanes(shown, this.#cursorMillis)}
        <subject-map></subject-map>
      </div>
      <div class="columns three">
        ${this.#events()}
        ${codeList(
          "Closes by code, ten minutes",
          sumByCode(store.seconds, (second) => second.closes),
          "No session closed.",
        )}
        ${this.#slowest(state)}
      </div>`;
  }

  #verdict(state: State, latest: Second): TemplateResult {
    const { kind, sentence, detail } = verdict(state, latest);
    return html`<section class="verdict ${kind}" aria-label="State">
      <p class="sentence" role="status">${sentence}</p>
      <p class="detail">${detail}${this.#started()}</p>
      ${
        state.alerts.length
          ? html`<ul class="alerts">${bySeverity(state.alerts).map(
              (alert) => html`<li>
                ${badge(alert.severity === "critical" ? "bad" : alert.severity === "warning" ? "warn" : "info", alert.severity)}
                <div><strong>${alert.title}</strong>, for ${duration(store.nowMillis - alert.sinceMillis)}: ${alert.reason}.
                <span class="next">Next step: ${alert.nextStep}.</span></div>
              </li>`,
            )}</ul>`
          : nothing
      }
    </section>`;
  }

  #started(): string {
    const started = store.hello?.startedMillis;
    return started === undefined ? "" : `; running for ${duration(store.nowMillis - started)}`;
  }

  #figure(figure: Figure, shown: Second): TemplateResult {
    const value = figure.of(shown);
    const [number, scale = ""] = figure.show(value).split(/\u202f(?=\D)/);
    const unit =
      scale || figure.unit ? `${scale}${figure.unit.startsWith("/") || !scale ? "" : " "}${figure.unit}` : "";
    const values = store.seconds.flatMap((second) => figure.of(second) ?? []);
    const range = values.length ? `${figure.show(Math.min(...values))} to ${figure.show(Math.max(...values))}` : NONE;
    return html`<div class="figure">
      <h2>${figure.name}</h2>
      <p class="value"><b>${number}</b><small>${THIN}${unit}</small></p>
      <div class="spark" role="img" aria-label=${`${figure.name}, ten minutes: ${range}`}></div>
      <p class="range">${range}</p>
    </div>`;
  }

  #latency(shown: Second): TemplateResult {
    const { seconds } = store;
    const at = seconds.indexOf(shown) + 1;
    const { p50, p99, max } = shown.latency;
    const text = `${clock(shown.time)}: median ${micros(p50)}, p99 ${micros(p99)}, maximum ${micros(max)}`;
    return html`<section class="card latency" aria-labelledby="latency-title">
      <header>
        <h2 id="latency-title">Latency of deliveries</h2>
        <p class="legend"><span class="p50">p50 ${micros(p50)}</span><span class="p99">p99 ${micros(p99)}</span><span class="max">max ${micros(max)}</span></p>
        <div class="jumps">
          <button @click=${() => this.#jump(-1)}>◂ Event<span class="hidden"> before</span></button><button @click=${() => this.#jump(1)}>Event<span class="hidden"> after</span> ▸</button>
        </div>
      </header>
      <canvas class="heat" tabindex="0" role="slider" aria-label="Second shown" aria-orientation="horizontal"
        aria-valuemin="1" aria-valuemax=${Math.max(1, seconds.length)} aria-valuenow=${Math.max(1, at)} aria-valuetext=${text}
        aria-describedby="heat-help" @keydown=${this.#onKey} @click=${this.#onPointer} @pointermove=${this.#onPointer}
        @pointerleave=${() => {
          this.#hoverMillis = undefined;
          this.requestUpdate();
        }}></canvas>
      <p class="hint" id="heat-help">Each column is one second. A stronger colour means more deliveries. Click or press Enter to freeze a second.
        The arrow keys select another second, and Escape releases it.</p>
    </section>`;
  }

  #events(): TemplateResult {
    const events = store.seconds
      .flatMap((second) => second.events.map((event) => ({ time: second.time, ...event })))
      .slice(-8)
      .reverse();
    return html`<section class="card"><h2>Events, ten minutes</h2>
      ${
        events.length
          ? html`<ul class="rows events">${events.map(
              (event) =>
                html`<li><button class="link" @click=${() => this.#freeze(event.time)}><time>${clock(event.time)}</time></button>
                  <span>${visible(event.text)}</span></li>`,
            )}</ul>`
          : html`<p class="empty">No event.</p>`
      }</section>`;
  }

  #slowest(state: State): TemplateResult {
    return html`<section class="card"><h2>Slowest sessions</h2>
      ${
        state.slowest.length
          ? html`<ul class="rows brief">${state.slowest.slice(0, 8).map(
              (session) => html`<li>
                <a href=${href("sessions", { session: session.session })}>${visible(session.session)}</a>
                <span class="muted">${visible(session.address)}, ${session.state}</span>
                <b>${count(session.behindMessages)} msg, ${bytes(session.behindBytes)}</b></li>`,
            )}</ul>`
          : html`<p class="empty">No session lags.</p>`
      }</section>`;
  }
}
