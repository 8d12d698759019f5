import { html, nothing, type TemplateResult } from "lit";
import { ApiError, describe, get, post } from "../api.js";
import { bytes, count, plural, visible } from "../format.js";
import { currentRoute, go, href } from "../routes.js";
import { store } from "../store.js";
import type { SessionDetail, SessionPage, SessionRow } from "../types.js";
import { badge, failure, poll, View } from "../view.js";

const INTERVAL = 5000;
const SORTS = {
  lag: "Lag",
  queued: "Queued bytes",
  subscriptions: "Subscriptions",
  connected: "Newest first",
} as const;

const stateOf = (state: string) => badge(state === "ready" ? "good" : state === "too-slow" ? "bad" : "warn", state);

/** The page Sessions: a list that the server searches, sorts and divides into pages. A drawer shows one session. */
export class SessionsPage extends View {
  #answer: SessionPage | undefined;
  #failure = "";
  #detail: SessionDetail | undefined;
  #detailFailure = "";
  #asking = false;
  #outcome = "";
  #name = "";
  #again: () => void = () => {};
  #typing: ReturnType<typeof setTimeout> | undefined;

  protected override onOpen(signal: AbortSignal): void {
    this.#again = poll(() => this.#load(signal), INTERVAL, signal);
    globalThis.addEventListener("hashchange", () => this.#onRoute(), { signal });
    this.#name = this.#parameter("session");
  }

  protected override onChange(): void {
    // The list is loaded at its own interval, not each second.
  }

  #parameter(name: string): string {
    return currentRoute().parameters.get(name) ?? "";
  }

  get #parameters() {
    const sort = this.#parameter("sort");
    const page = Number(this.#parameter("page")) || 0;
    return {
      search: this.#parameter("search"),
      sort: sort in SORTS ? sort : "lag",
      page,
      session: this.#parameter("session"),
    };
  }

  #go(change: { search?: string; sort?: string; page?: number; session?: string }): void {
    const next = { ...this.#parameters, ...change };
    go("sessions", { ...next, sort: next.sort === "lag" ? "" : next.sort });
  }

  #onRoute(): void {
    const { session } = this.#parameters;
    if (session !== this.#name) {
      const before = this.#name;
      this.#name = session;
      this.#detail = undefined;
      this.#detailFailure = this.#outcome = "";
      this.#asking = false;
      void this.updateComplete.then(() => {
        if (session) this.querySelector<HTMLElement>(".drawer h2")?.focus();
        else this.querySelector<HTMLElement>(`a[data-session="${CSS.escape(before)}"]`)?.focus();
      });
    }
    this.requestUpdate();
    this.#again();
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { search, sort, page } = this.#parameters;
    try {
      this.#answer = await get<SessionPage>("sessions", { search, sort, page }, signal);
      this.#failure = "";
    } catch (error) {
      if (!signal.aborted) this.#failure = describe(error);
    }
    if (this.#name) await this.#loadDetail(this.#name, signal);
    const now = this.#parameters;
    this.requestUpdate();
    // The parameters changed while the request was running.
    if (
      now.search !== search ||
      now.sort !== sort ||
      now.page !== page ||
      (this.#name && !this.#detail && !this.#detailFailure)
    ) {
      setTimeout(this.#again, 0);
    }
  }

  async #loadDetail(name: string, signal: AbortSignal): Promise<void> {
    try {
      const detail = await get<SessionDetail>("session", { name }, signal);
      if (name !== this.#name) return;
      this.#detail = detail;
      this.#detailFailure = "";
    } catch (error) {
      if (signal.aborted || name !== this.#name) return;
      this.#detail = undefined;
      this.#detailFailure =
        error instanceof ApiError && error.status === 404
          ? "This session is no longer connected to this node."
          : describe(error);
    }
  }

  async #disconnect(): Promise<void> {
    this.#asking = false;
    try {
      await post("disconnect", { session: this.#name });
      this.#outcome = "The session was disconnected. Its client may connect again.";
    } catch (error) {
      this.#outcome = describe(error);
    }
    this.requestUpdate();
    this.#again();
  }

  #onSearch(event: InputEvent): void {
    const search = (event.target as HTMLInputElement).value;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#go({ search, page: 0 }), 250);
  }

  protected override render(): TemplateResult {
    const { search, sort } = this.#parameters;
    const answer = this.#answer;
    return html`
      <div class="heading"><h1>Sessions</h1>
        <p role="status">${answer ? `${count(answer.matching)} of ${plural(answer.total, "session")}${answer.complete ? "" : ", the search was not complete"}` : ""}</p>
      </div>
      <div class="tools">
        <label class="grow">Search <input type="search" .value=${search} placeholder="part of a name, user or address" @input=${this.#onSearch}></label>
        <label>Sort by <select @change=${(event: Event) => this.#go({ sort: (event.target as HTMLSelectElement).value, page: 0 })}>
          ${Object.entries(SORTS).map(([name, label]) => html`<option value=${name} ?selected=${name === sort}>${label}</option>`)}
        </select></label>
        ${this.#pages()}
      </div>
      ${failure(this.#failure)}
      <div class=${this.#name ? "with-drawer" : ""}>${answer ? this.#table(answer) : html`<p class="empty">Waiting for the list…</p>`}
      ${this.#name ? this.#drawer() : nothing}</div>`;
  }

  #pages(): TemplateResult | typeof nothing {
    const answer = this.#answer;
    if (!answer) return nothing;
    const last = Math.max(0, Math.ceil(answer.matching / answer.size) - 1);
    return html`<nav class="pager" aria-label="Pages of the list">
      <button ?disabled=${answer.page <= 0} @click=${() => this.#go({ page: answer.page - 1 })}>Previous</button>
      <span>${count(answer.page + 1)} of ${count(last + 1)}</span>
      <button ?disabled=${answer.page >= last} @click=${() => this.#go({ page: answer.page + 1 })}>Next</button>
    </nav>`;
  }

  #table(answer: SessionPage): TemplateResult {
    if (!answer.sessions.length) return html`<p class="card empty">No session matches.</p>`;
    return html`<div class="card scroll" tabindex="0" role="region" aria-label="Sessions"><table class="list">
      <thead><tr><th scope="col">Session</th><th scope="col" class="wide">User</th><th scope="col">Address</th><th scope="col">State</th><th scope="col" class="n">Behind</th>
        <th scope="col" class="n slim">Bytes behind</th><th scope="col" class="n wide">Queued</th><th scope="col" class="n wide">Subscriptions</th>
        <th scope="col" class="wide">Format</th><th scope="col" class="n wide">Lane</th></tr></thead>
      <tbody>${answer.sessions.map((row) => this.#row(row))}</tbody>
    </table></div>`;
  }

  #row(row: SessionRow): TemplateResult {
    const { search, sort, page } = this.#parameters;
    const link = href("sessions", { search, sort: sort === "lag" ? "" : sort, page, session: row.session });
    const open = row.session === this.#name;
    return html`<tr class=${open ? "open" : ""}>
      <th scope="row"><a href=${link} data-session=${row.session} aria-current=${open ? "true" : nothing}>${visible(row.session)}</a></th>
      <td class="wide">${row.user === null ? nothing : visible(row.user)}</td><td class="nowrap">${visible(row.address)}</td><td>${stateOf(row.state)}</td>
      <td class="n">${count(row.behindMessages)}</td><td class="n slim">${bytes(row.behindBytes)}</td>
      <td class="n wide">${bytes(row.queuedBytes)}</td><td class="n wide">${count(row.subscriptions)}</td>
      <td class="wide nowrap">${row.format}</td><td class="n wide">${row.lane}</td></tr>`;
  }

  #drawer(): TemplateResult {
    const detail = this.#detail;
    return html`<aside class="card drawer" aria-labelledby="drawer-title" @keydown=${(event: KeyboardEvent) => event.key === "Escape" && this.#go({ session: "" })}>
      <header><h2 id="drawer-title" tabindex="-1">${visible(this.#name)}</h2><button @click=${() => this.#go({ session: "" })}>Close</button></header>
      ${failure(this.#detailFailure)}
      ${this.#outcome ? html`<p class="note" role="status">${this.#outcome}</p>` : nothing}
      ${detail ? this.#facts(detail) : this.#detailFailure ? nothing : html`<p class="empty">Waiting…</p>`}
    </aside>`;
  }

  #facts(detail: SessionDetail): TemplateResult {
    return html`<dl class="pairs">
        <dt>State</dt><dd>${stateOf(detail.state)}</dd>
        <dt>User</dt><dd>${detail.user === null ? "none" : visible(detail.user)}</dd>
        <dt>Address</dt><dd>${visible(detail.address)}</dd>
        <dt>Format</dt><dd>${detail.format}</dd>
        <dt>Lane</dt><dd>${detail.lane}</dd>
        <dt>Behind</dt><dd>${plural(detail.behindMessages, "message")}, ${bytes(detail.behindBytes)}</dd>
        <dt>Queued</dt><dd>${bytes(detail.queuedBytes)}</dd>
      </dl>
      ${this.#action()}
      <h3>${plural(detail.subscriptions, "subscription")}</h3>
      <div class="scroll" tabindex="0" role="region" aria-label="Subscriptions"><table class="list">
        <thead><tr><th scope="col">Subject</th><th scope="col">Position</th><th scope="col" class="n">Behind</th></tr></thead>
        <tbody>${detail.subjects.map(
          (
            entry,
          ) => html`<tr><th scope="row">${entry.pattern ? visible(entry.subject) : html`<a href=${href("subjects", { tail: entry.subject })}>${visible(entry.subject)}</a>`}${entry.pattern ? html` <small class="muted">pattern</small>` : nothing}</th>
            <td><code>${entry.position ?? "at the latest"}</code></td><td class="n">${count(entry.behind)}</td></tr>`,
        )}</tbody></table></div>
      ${detail.more ? html`<p class="hint">Only the first ${count(detail.subjects.length)} are shown.</p>` : nothing}`;
  }

  #action(): TemplateResult {
    if (!store.mayAct) {
      return html`<div class="action"><button disabled aria-describedby="why-not">Disconnect</button>
        <p class="hint" id="why-not">This login may only look. Log in with the password of the key <code>ConsoleActPassword</code> to disconnect sessions.</p></div>`;
    }
    if (this.#asking) {
      return html`<div class="action" role="group" aria-label="Confirm"><span>Disconnect this session?</span>
        <button class="danger" @click=${() => this.#disconnect()}>Disconnect now</button>
        <button @click=${() => this.#ask(false)}>Keep it</button></div>`;
    }
    return html`<div class="action"><button class="danger" @click=${() => this.#ask(true)}>Disconnect…</button></div>`;
  }

  #ask(asking: boolean): void {
    this.#asking = asking;
    this.requestUpdate();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(".action button:last-child")?.focus());
  }
}
