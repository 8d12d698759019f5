import { html, LitElement, nothing, type TemplateResult } from "lit";
import { clock } from "./format.js";
import { store } from "./store.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** An element without a shadow tree that renders again after each change of the store and of the colour scheme. */
export abstract class View extends LitElement {
  /** Aborts when the element leaves the page. */
  #life: AbortController | undefined;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#life = new AbortController();
    const { signal } = this.#life;
    store.addEventListener("change", () => this.onChange(), { signal });
    dark.addEventListener("change", () => this.requestUpdate(), { signal });
    this.onOpen(signal);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#life?.abort();
    this.#life = undefined;
  }

  /** Runs when the element enters the page; `signal` aborts when it leaves. */
  protected onOpen(_signal: AbortSignal): void {}

  protected onChange(): void {
    this.requestUpdate();
  }
}

/**
 * Calls `task` at once, and again `ms` after each call has ended, while the page is visible. Returns a function that
 * calls `task` at once unless a call is running.
 */
export function poll(task: () => Promise<unknown>, ms: number, signal: AbortSignal): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let busy = false;
  const run = async () => {
    clearTimeout(timer);
    if (signal.aborted || busy || document.visibilityState === "hidden") return;
    busy = true;
    try {
      await task();
    } finally {
      busy = false;
      if (!signal.aborted) timer = setTimeout(run, ms);
    }
  };
  document.addEventListener("visibilitychange", run, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  void run();
  return () => void run();
}

/** Renders a colour and a word for a state; the word alone is sufficient. */
export const badge = (kind: "good" | "warn" | "bad" | "info" | "plain", text: string): TemplateResult =>
  html`<span class="badge ${kind}"><span class="mark" aria-hidden="true">${MARKS[kind]}</span>${text}</span>`;

const MARKS = { good: "✓", warn: "▲", bad: "✕", info: "i", plain: "·" };

/** Renders a failure of a request. */
export const failure = (text: string | undefined): TemplateResult | typeof nothing =>
  text ? html`<p class="failure" role="alert">${text}</p>` : nothing;

/** Renders a line until the first data arrives. */
export const waiting = (): TemplateResult =>
  store.outage
    ? html`<p class="empty">No data: ${store.outage.reason}</p>`
    : html`<p class="empty">Waiting for the first second…</p>`;

export const timeOf = (millis: number): TemplateResult => html`<time>${clock(millis)}</time>`;
