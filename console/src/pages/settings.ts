import { html, nothing, type TemplateResult } from "lit";
import { describe, get } from "../api.js";
import { count, plural, visible } from "../format.js";
import { currentRoute, go } from "../routes.js";
import { store } from "../store.js";
import type { Settings } from "../types.js";
import { badge, failure, poll, View } from "../view.js";

/** The settings change only when the configuration is reloaded. */
const INTERVAL = 60_000;
const DAY = 86_400_000;

/** Renders the parts of a sentence between backquotes as code. */
const sentence = (text: string) =>
  text.split("`").map((part, index) => (index % 2 ? html`<code>${part}</code>` : part));

/** The page Settings: the effective configuration with its sources, the doctor's findings, and the certificate. */
export class SettingsPage extends View {
  #answer: Settings | undefined;
  #failure = "";

  protected override onOpen(signal: AbortSignal): void {
    poll(() => this.#load(signal), INTERVAL, signal);
    globalThis.addEventListener("hashchange", () => this.requestUpdate(), { signal });
  }

  protected override onChange(): void {
    // The settings are loaded at their own interval, not each second.
  }

  async #load(signal: AbortSignal): Promise<void> {
    try {
      this.#answer = await get<Settings>("settings", {}, signal);
      this.#failure = "";
    } catch (error) {
      if (!signal.aborted) this.#failure = describe(error);
    }
    this.requestUpdate();
  }

  #go(change: { filter?: string; changed?: string }): void {
    const { parameters } = currentRoute();
    go("settings", { filter: parameters.get("filter") ?? "", changed: parameters.get("changed") ?? "", ...change });
  }

  protected override render(): TemplateResult {
    const answer = this.#answer;
    if (!answer) {
      return html`<div class="heading"><h1>Settings</h1></div>${this.#failure ? failure(this.#failure) : html`<p class="empty">Waiting for the settings…</p>`}`;
    }
    const { parameters } = currentRoute();
    const filter = parameters.get("filter") ?? "";
    const changedOnly = parameters.get("changed") === "yes";
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = answer.settings.filter(
      (setting) =>
        (!changedOnly || setting.source !== "default") &&
        words.every((word) =>
          `${setting.key} ${setting.value} ${setting.chapter} ${setting.sentence}`.toLowerCase().includes(word),
        ),
    );
    return html`
      <div class="heading"><h1>Settings</h1><p role="status">${count(shown.length)} of ${plural(answer.settings.length, "key")},
        ${count(answer.settings.filter(({ source }) => source !== "default").length)} set</p></div>
      ${failure(this.#failure)}
      <div class="columns">${this.#doctor(answer)}${this.#certificate(answer)}</div>
      <div class="tools">
        <label class="grow">Filter <input type="search" .value=${filter} placeholder="part of a key, value or description"
          @input=${(event: InputEvent) => this.#go({ filter: (event.target as HTMLInputElement).value })}></label>
        <label class="check"><input type="checkbox" .checked=${changedOnly}
          @change=${(event: Event) => this.#go({ changed: (event.target as HTMLInputElement).checked ? "yes" : "" })}> only keys that are set</label>
      </div>
      ${this.#table(shown)}`;
  }

  #doctor({ doctor }: Settings): TemplateResult {
    const serious = doctor.filter(({ severity }) => severity === "serious");
    const summary = serious.length
      ? badge("warn", plural(serious.length, "serious problem"))
      : badge(doctor.length ? "info" : "good", doctor.length ? "advice only" : "no problem");
    return html`<section class="card"><header><h2>Doctor</h2>${summary}</header>
      ${
        doctor.length
          ? html`<ul class="rows doctor">${[...serious, ...doctor.filter((each) => !serious.includes(each))].map(
              ({ severity, text, fix }) => html`<li>${badge(severity === "serious" ? "warn" : "info", severity)}
                <div>${visible(text)}${fix ? html`<pre>${fix}</pre>` : nothing}</div></li>`,
            )}</ul>`
          : html`<p class="empty">Limits, kernel settings and hardware fit the configuration.</p>`
      }</section>`;
  }

  #certificate({ certificateExpires }: Settings): TemplateResult {
    if (!certificateExpires) {
      return html`<section class="card"><h2>Certificate</h2><p class="empty">No listener is encrypted.</p></section>`;
    }
    const days = Math.floor((Date.parse(certificateExpires) - store.nowMillis) / DAY);
    const kind = days < 7 ? "bad" : days < 30 ? "warn" : "good";
    const text = days < 0 ? "expired" : plural(days, "day");
    return html`<section class="card"><header><h2>Certificate</h2>${badge(kind, days < 30 ? "renew" : "valid")}</header>
      <p class="value"><b>${text}</b></p><p class="muted">${days < 0 ? "The certificate expired" : "The certificate expires"} on ${certificateExpires.slice(0, 10)}.</p></section>`;
  }

  #table(shown: Settings["settings"]): TemplateResult {
    if (!shown.length) return html`<p class="card empty">No key matches.</p>`;
    const chapters = [...new Set(shown.map(({ chapter }) => chapter))];
    return html`${chapters.map(
      (chapter) => html`<section class="card"><h2>${chapter}</h2><table class="list settings">
        <thead><tr><th scope="col">Key</th><th scope="col">Value</th><th scope="col" class="wide">Default</th><th scope="col">Source</th><th scope="col" class="wide">Change</th></tr></thead>
        <tbody>${shown
          .filter((setting) => setting.chapter === chapter)
          .map(
            (setting) => html`<tr class=${setting.source === "default" ? "" : "set"}>
            <th scope="row"><code>${setting.key}</code><small>${sentence(setting.sentence)}</small></th>
            <td><code>${visible(setting.value ?? "not set")}</code></td><td class="wide"><code class="muted">${visible(setting.default ?? "not set")}</code></td>
            <td>${setting.source === "default" ? html`<span class="muted">default</span>` : visible(setting.source)}</td>
            <td class="wide">${setting.reload ? "reload" : html`<span class="muted">restart</span>`}</td></tr>`,
          )}</tbody></table></section>`,
    )}`;
  }
}
