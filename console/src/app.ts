import { html, nothing, type TemplateResult } from "lit";
import { ApiError, describe, get, logins, post } from "./api.js";
import { clock, visible } from "./format.js";
import { currentRoute, href, PAGES, type PageName } from "./routes.js";
import { store } from "./store.js";
import type { Me } from "./types.js";
import { View } from "./view.js";

const TITLES: { readonly [page in PageName]: string } = {
  now: "Now",
  sessions: "Sessions",
  subjects: "Subjects",
  try: "Try",
  cluster: "Cluster",
  promises: "Promises",
  settings: "Settings",
};

const VIEWS: { readonly [page in PageName]: () => TemplateResult } = {
  now: () => html`<now-page></now-page>`,
  sessions: () => html`<sessions-page></sessions-page>`,
  subjects: () => html`<subjects-page></subjects-page>`,
  try: () => html`<try-page></try-page>`,
  cluster: () => html`<cluster-page></cluster-page>`,
  promises: () => html`<promises-page></promises-page>`,
  settings: () => html`<settings-page></settings-page>`,
};

/** The frame of all pages: login, navigation and the state of the connection. */
export class ConsoleApp extends View {
  #page = currentRoute().page;
  #mode: "starting" | "login" | "open" = "starting";
  #failure = "";
  /** The page whose link in the navigation was last scrolled into view. */
  #shown: PageName | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  protected override onOpen(signal: AbortSignal): void {
    globalThis.addEventListener("hashchange", () => this.#route(), { signal });
    logins.addEventListener("unauthorized", () => this.#leave(), { signal });
    document.addEventListener("visibilitychange", () => this.#mode === "starting" && this.#begin(), { signal });
    void this.#begin();
  }

  async #begin(): Promise<void> {
    clearTimeout(this.#retry);
    if (document.visibilityState === "hidden") return;
    try {
      const me = await get<Me>("me");
      this.#mode = "open";
      this.#failure = "";
      store.open(me);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) {
        this.#failure = describe(error);
        this.#retry = setTimeout(() => this.#begin(), 3000);
      }
    }
    this.requestUpdate();
  }

  #route(): void {
    const { page } = currentRoute();
    if (page !== this.#page) {
      this.#page = page;
      void this.updateComplete.then(() => this.querySelector<HTMLElement>("main")?.focus({ preventScroll: true }));
      scrollTo(0, 0);
    }
    this.requestUpdate();
  }

  #leave(): void {
    if (this.#mode === "login") return;
    this.#mode = "login";
    store.close();
    this.requestUpdate();
  }

  async #logOut(): Promise<void> {
    try {
      await post("logout", {});
    } finally {
      this.#leave();
    }
  }

  protected override updated(): void {
    const alerts = store.state?.alerts.length ?? 0;
    const title = this.#mode === "login" ? "Log in" : TITLES[this.#page];
    const documentTitle = `${alerts ? `(${alerts}) ` : ""}${title} · Belfry`;
    if (document.title !== documentTitle) document.title = documentTitle;
    if (this.#shown !== this.#page && this.#mode === "open") {
      this.#shown = this.#page;
      // A narrow window does not show all pages of the navigation at once.
      this.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "nearest", block: "nearest" });
    }
  }

  protected override render(): TemplateResult {
    if (this.#mode === "login") {
      return html`<login-form @logged-in=${() => this.#begin()}></login-form>`;
    }
    if (this.#mode === "starting") {
      return html`<main class="lonely"><h1>Belfry</h1>
        <p role="status">${this.#failure ? `${this.#failure} The next attempt follows in 3 s.` : "Connecting…"}</p></main>`;
    }
    return html`
      <button class="skip" @click=${() => this.querySelector<HTMLElement>("main")?.focus()}>Skip to the content</button>
      <header class="top">
        <div class="brand">
          <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1a1 1 0 0 1 1 1v.6A4.5 4.5 0 0 1 12.5 7v3l1.5 2H2l1.5-2V7A4.5 4.5 0 0 1 7 2.6V2a1 1 0 0 1 1-1zM6.3 13h3.4a1.7 1.7 0 0 1-3.4 0z"/></svg>
          <strong>Belfry</strong>
          <span class="node">${visible(store.hello?.node ?? store.me?.node ?? "")} <small>${store.hello?.version ?? store.me?.version ?? ""}</small></span>
        </div>
        <nav aria-label="Pages">
          ${PAGES.map((page) => html`<a href=${href(page)} aria-current=${page === this.#page ? "page" : nothing}>${TITLES[page]}</a>`)}
        </nav>
        <div class="who">${this.#connection()}${this.#account()}</div>
      </header>
      ${this.#outage()}
      <main id="content" tabindex="-1" class=${`page ${this.#page}${store.outage ? " cut" : ""}`}>
        ${VIEWS[this.#page]()}
      </main>`;
  }

  #connection(): TemplateResult {
    if (store.outage) return html`<span class="live off"><i aria-hidden="true"></i>no data</span>`;
    const { latest } = store;
    return html`<span class="live"><i aria-hidden="true"></i>live ${latest ? html`<time>${clock(latest.time)}</time>` : nothing}</span>`;
  }

  #account(): TemplateResult | typeof nothing {
    const { login, changes, role } = store.me ?? {};
    if (!login && !changes) return nothing;
    if (!login && role === "look") {
      return html`<button class="quiet" @click=${() => this.#leave()}>Log in for changes</button>`;
    }
    const rights = role === "act" ? "may change" : "may look";
    return html`<span class="role">${rights}</span><button class="quiet" @click=${() => this.#logOut()}>Log out</button>`;
  }

  #outage(): TemplateResult | typeof nothing {
    const { outage } = store;
    if (!outage) return nothing;
    return html`<div class="outage" role="alert">
      <strong>No data since ${clock(outage.sinceMillis)}.</strong> ${outage.reason}
      The figures below are old. <span>Next attempt at ${clock(outage.nextAttemptMillis)}.</span>
    </div>`;
  }
}
