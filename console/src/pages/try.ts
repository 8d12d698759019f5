import { html, nothing, type TemplateResult } from "lit";
import { describe, get } from "../api.js";
import { CUT, Feed } from "../feed.js";
import { digits, plural, THIN } from "../format.js";
import { currentRoute, go } from "../routes.js";
import { type Call, LANGUAGES, type Language, sample } from "../samples.js";
import type { TryAnswer } from "../types.js";
import { badge, failure, View } from "../view.js";
import { messageList } from "./rows.js";

const DEFAULT_SUBJECT = "/try/console";
const HISTORY = 10;

/** The page Try: subscribe, publish, cut the connection, and the same call in other languages. */
export class TryPage extends View {
  readonly #feed = new Feed();
  #answer: TryAnswer | undefined;
  #failure = "";
  #subject = currentRoute().parameters.get("subject") || DEFAULT_SUBJECT;
  #token = "";
  #data = '{"greeting": "hello"}';
  #retain = false;
  #meanwhile = true;
  #published = "";
  #publishFailure = "";
  #copied = false;

  protected override onOpen(signal: AbortSignal): void {
    this.#feed.addEventListener("change", () => this.requestUpdate(), { signal });
    globalThis.addEventListener("hashchange", () => this.requestUpdate(), { signal });
    signal.addEventListener("abort", () => this.#feed.close());
    void this.#load(signal);
  }

  protected override onChange(): void {
    // The page is updated by its own connection, not by the store.
  }

  async #load(signal: AbortSignal): Promise<void> {
    try {
      this.#answer = await get<TryAnswer>("try", {}, signal);
      if (this.#answer.servers.length) this.#subscribe();
    } catch (error) {
      if (!signal.aborted) this.#failure = describe(error);
    }
    this.requestUpdate();
  }

  #subscribe(event?: Event): void {
    event?.preventDefault();
    this.#failure = "";
    if (!this.#answer) return;
    try {
      this.#feed.open(this.#answer.servers, this.#token);
      this.#feed.follow(this.#subject, HISTORY);
    } catch (error) {
      this.#failure = (error as Error).message;
    }
    this.requestUpdate();
  }

  async #publish(event: Event): Promise<void> {
    event.preventDefault();
    const began = performance.now();
    this.#published = this.#publishFailure = "";
    try {
      const position = await this.#feed.publish(this.#subject, this.#data, this.#retain);
      this.#published = `Stored at ${position} after ${digits(performance.now() - began)}${THIN}ms.`;
    } catch (error) {
      this.#publishFailure = (error as Error).message;
    }
    this.requestUpdate();
  }

  /** Cuts the connection. A second connection then publishes messages, which the first connection has to recover. */
  async #cut(): Promise<void> {
    const answer = this.#answer;
    this.#feed.cut();
    if (!this.#meanwhile || !answer) return;
    const other = new Feed();
    try {
      other.open(answer.servers, this.#token);
      for (const word of ["first", "second", "third"]) {
        await other.publish(this.#subject, `the ${word} message while this page was disconnected`, false);
      }
    } catch (error) {
      this.#publishFailure = (error as Error).message;
    } finally {
      other.close();
      this.requestUpdate();
    }
  }

  protected override render(): TemplateResult {
    const answer = this.#answer;
    const feed = this.#feed;
    return html`
      <div class="heading"><h1>Try</h1><p role="status">${answer ? html`${answer.servers[0]} ${badge(feed.connected ? "good" : feed.status === "refused" ? "bad" : "plain", feed.status)}` : "Waiting for the server…"}</p></div>
      ${failure(this.#failure)}
      ${answer && !answer.servers.length ? html`<p class="card note">The server has no listener under the host name of this page.</p>` : nothing}
      <div class="columns">
        <section class="card" aria-labelledby="subscribe-title">
          <h2 id="subscribe-title">Subscribe</h2>
          <form @submit=${this.#subscribe}>
            <label>Subject or pattern<input name="subject" .value=${this.#subject} required spellcheck="false" autocomplete="off" autocapitalize="off"
              @input=${(event: InputEvent) => {
                this.#subject = (event.target as HTMLInputElement).value;
                this.requestUpdate();
              }}></label>
            <label>Token, if the server requires one<input name="token" type="password" autocomplete="off"
              @input=${(event: InputEvent) => {
                this.#token = (event.target as HTMLInputElement).value;
              }}></label>
            <button class="main" type="submit">${feed.subject ? "Subscribe again" : "Subscribe"}</button>
          </form>
          ${failure(feed.problem)}
          ${feed.problem.startsWith("unauthorized") ? html`<p class="hint">This server requires a token. Enter a token and subscribe again.</p>` : nothing}
          <p class="hint">${feed.subject ? `${plural(feed.received, "message")} received${feed.position ? `; position ${feed.position}` : ""}` : "Not subscribed."}</p>
          ${messageList(feed.latest(100), this.#subject.includes("*"), "Messages received")}
        </section>
        <div class="stack">
          ${this.#publishForm()}
          ${this.#cutCard()}
        </div>
      </div>
      ${answer ? this.#samples(answer) : nothing}`;
  }

  #publishForm(): TemplateResult {
    const pattern = this.#subject.includes("*");
    return html`<section class="card" aria-labelledby="publish-title">
      <h2 id="publish-title">Publish</h2>
      <form @submit=${this.#publish}>
        <label>Message to ${this.#subject}<textarea name="data" rows="3" spellcheck="false" .value=${this.#data}
          @input=${(event: InputEvent) => {
            this.#data = (event.target as HTMLTextAreaElement).value;
            this.requestUpdate();
          }}></textarea></label>
        <label class="check"><input type="checkbox" .checked=${this.#retain} @change=${(event: Event) => {
          this.#retain = (event.target as HTMLInputElement).checked;
          this.requestUpdate();
        }}> retain as the subject's latest state</label>
        <button class="main" type="submit" ?disabled=${pattern}>Publish</button>
        ${pattern ? html`<span class="hint">Messages cannot be published to a pattern.</span>` : nothing}
      </form>
      <p class="result" role="status">${this.#published}</p>
      ${failure(this.#publishFailure)}
    </section>`;
  }

  #cutCard(): TemplateResult {
    const { recovery, cutting, subject } = this.#feed;
    const pattern = subject.includes("*");
    let result = "The client remembers its position, connects again and receives the messages that it missed.";
    if (cutting) result = "The connection is cut. The server keeps the messages published meanwhile.";
    else if (recovery?.resumedMillis) {
      const lost = recovery.gaps ? `${plural(recovery.gaps, "gap")} reported` : "nothing lost";
      result = `Resumed after ${digits((recovery.resumedMillis - recovery.beganMillis) / 1000)}${THIN}s: ${plural(recovery.messages, "message")} recovered, ${lost}.`;
    } else if (recovery) result = "Connecting again…";
    return html`<section class="card" aria-labelledby="cut-title">
      <h2 id="cut-title">Recovery</h2>
      <div class="action"><button ?disabled=${!subject || cutting} @click=${() => this.#cut()}>Cut the connection for ${CUT / 1000} s</button></div>
      <label class="check"><input type="checkbox" .checked=${this.#meanwhile} ?disabled=${pattern} @change=${(
        event: Event,
      ) => {
        this.#meanwhile = (event.target as HTMLInputElement).checked;
      }}> meanwhile publish three messages to ${subject || "the subject"} through a second connection</label>
      <p class="result" role="status" id="recovery">${result}</p>
    </section>`;
  }

  #samples(answer: TryAnswer): TemplateResult {
    const chosen = currentRoute().parameters.get("in");
    const language: Language = LANGUAGES.find((name) => name.toLowerCase() === chosen) ?? "curl";
    const call: Call = {
      server: answer.servers[0] ?? "",
      http: (answer.servers[0] ?? "").replace(/^ws/, "http"),
      subject: this.#subject,
      data: this.#data,
      retain: this.#retain,
      history: HISTORY,
      token: this.#token !== "",
    };
    const code = sample(language, call);
    return html`<section class="card" aria-labelledby="same-title">
      <header><h2 id="same-title">The same call</h2>
        <div class="tabs" role="group" aria-label="Language">${LANGUAGES.map(
          (name) =>
            html`<button aria-pressed=${name === language} @click=${() => {
              this.#copied = false;
              go("try", { in: name.toLowerCase() });
            }}>${name}</button>`,
        )}</div>
        ${navigator.clipboard ? html`<button class="quiet" @click=${() => this.#copy(code)}>${this.#copied ? "Copied" : "Copy"}</button>` : nothing}
      </header>
      <pre tabindex="0" role="region" aria-label=${`The call in ${language}`}>${code}</pre>
    </section>`;
  }

  async #copy(code: string): Promise<void> {
    await navigator.clipboard.writeText(code);
    this.#copied = true;
    this.requestUpdate();
  }
}
