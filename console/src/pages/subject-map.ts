import { html, nothing, type TemplateResult } from "lit";
import { describe, get } from "../api.js";
import { squarify } from "../charts/squares.js";
import { bytes, count, plural, short, visible } from "../format.js";
import { href } from "../routes.js";
import type { SubjectChild, SubjectPage } from "../types.js";
import { failure, poll, View } from "../view.js";

/** The server computes rates from two counts of all subjects, which are at least 4 s apart. */
const INTERVAL = 4500;
const BOXES = 40;

interface Cell {
  readonly child: SubjectChild;
  readonly weight: number;
  readonly published: number;
}

/**
 * A map of the branches of the subject tree. The area of a branch is in proportion to its bytes out. A click opens a
 * branch; an only branch opens automatically.
 */
export class SubjectMap extends View {
  #under = "";
  #page: SubjectPage | undefined;
  #failure = "";
  #measured = false;
  #again: () => void = () => {};

  protected override onOpen(signal: AbortSignal): void {
    const observer = new ResizeObserver(() => this.requestUpdate());
    observer.observe(this);
    signal.addEventListener("abort", () => observer.disconnect());
    this.#again = poll(() => this.#load(signal), INTERVAL, signal);
  }

  protected override onChange(): void {
    // The areas change with each response of the server, not each second.
  }

  async #load(signal: AbortSignal): Promise<void> {
    try {
      const under = this.#under;
      const page = await get<SubjectPage>("subjects", { under, page: 0 }, signal);
      if (under !== this.#under) return;
      const only = page.children.length === 1 ? page.children[0] : undefined;
      if (!this.#page && only && only.below > 0 && !only.subject) {
        this.#under = `${under}/${only.name}`;
        return await this.#load(signal);
      }
      this.#measured = this.#page !== undefined;
      this.#page = page;
      this.#failure = "";
    } catch (error) {
      if (!signal.aborted) this.#failure = describe(error);
    }
    this.requestUpdate();
  }

  #open(under: string): void {
    this.#under = under;
    this.#page = undefined;
    this.requestUpdate();
    this.#again();
  }

  #cells(): Cell[] {
    const { children = [] } = this.#page ?? {};
    const cells = children.map((child) => ({ child, weight: child.bytesOut, published: child.in }));
    return cells.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  }

  protected override render(): TemplateResult {
    const cells = this.#cells();
    const shown = cells.slice(0, BOXES);
    const total = cells.reduce((sum, { weight }) => sum + weight, 0);
    return html`<section class="card treemap" aria-labelledby="map-title">
      <header><h2 id="map-title">Subjects by bytes out</h2><p class="legend">${this.#path()}</p></header>
      ${failure(this.#failure)}
      <div class="boxes">${shown.length ? this.#boxes(shown) : html`<p class="empty">${this.#measured ? "No messages in the last seconds." : "Measuring…"}</p>`}</div>
      <p class="hint">${bytes(total)}/s to subscribers of this node${cells.length > BOXES ? `; the ${BOXES} largest of ${plural(cells.length, "branch").replace(/s$/, "es")}` : ""}${this.#page?.complete === false ? "; the sums are lower bounds" : ""}.
        <a href=${href("subjects", { open: this.#under })}>All subjects</a></p>
    </section>`;
  }

  #path(): TemplateResult {
    const parts = this.#under.split("/").slice(1);
    return html`<button class="link" ?disabled=${!parts.length} @click=${() => this.#open("")}>all</button>${parts.map(
      (part, index) => {
        const path = `/${parts.slice(0, index + 1).join("/")}`;
        return html` / <button class="link" ?disabled=${index === parts.length - 1} @click=${() => this.#open(path)}>${visible(part)}</button>`;
      },
    )}`;
  }

  #boxes(cells: readonly Cell[]): TemplateResult[] {
    const width = Math.max(240, this.clientWidth - 34);
    const height = 250;
    const areas = squarify(
      cells.map(({ weight }) => weight),
      { left: 0, top: 0, width, height },
    );
    const most = cells[0]?.weight ?? 1;
    return cells.map(({ child, weight, published }, index) => {
      const { left = 0, top = 0, width: wide = 0, height: tall = 0 } = areas[index] ?? {};
      const path = `${this.#under}/${child.name}`;
      const branch = child.below > 0;
      const label = `${path}: ${bytes(weight)} per second to ${plural(child.subscribers, "subscriber")}, ${short(published)} messages per second`;
      const share = (part: number, whole: number) => `${((part / whole) * 100).toFixed(3)}%`;
      // The content security policy of the page forbids the attribute `style`, but not the property.
      const style =
        `left:${share(left, width)};top:${share(top, height)};width:${share(wide, width)};height:${share(tall, height)};` +
        `--share:${Math.round(12 + 58 * Math.sqrt(weight / most))}%`;
      const content = html`<span class="hidden">${visible(label)}</span>${wide > 44 && tall > 18 ? html`<b aria-hidden="true">${visible(child.name)}</b>` : nothing}
        ${wide > 84 && tall > 36 ? html`<span aria-hidden="true">${bytes(weight)}/s</span>` : nothing}
        ${wide > 110 && tall > 54 ? html`<small aria-hidden="true">${count(child.subscribers)} subscribers</small>` : nothing}`;
      return branch
        ? html`<button class="box" .style=${style} title=${visible(label)} @click=${() => this.#open(path)}>${content}</button>`
        : html`<a class="box" .style=${style} title=${visible(label)} href=${href("subjects", { open: this.#under, tail: path })}>${content}</a>`;
    });
  }
}
