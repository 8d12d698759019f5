import { html, nothing, type TemplateResult } from "lit";
import { ApiError, describe, get } from "../api.js";
import { Feed } from "../feed.js";
import { bytes, count, duration, NONE, plural, short, visible } from "../format.js";
import { currentRoute, go, href } from "../routes.js";
import type { SubjectChild, SubjectPage, TryAnswer } from "../types.js";
import { badge, failure, poll, View } from "../view.js";
import { messageList } from "./rows.js";

/** The server computes rates from two counts of all subjects, which are at least 4 s apart. */
const INTERVAL = 4500;
/** Maximum number of requests of one refresh. */
const BRANCHES_MAX = 20;

/** The pages of one branch that are loaded. */
interface Branch {
  pages: SubjectPage[];
  wanted: number;
}

/** The page Subjects: the tree with the rates of each branch and the history of each subject, and a live tail. */
export class SubjectsPage extends View {
  readonly #branches = new Map<string, Branch>([["", { pages: [], wanted: 1 }]]);
  readonly #feed = new Feed();
  #failure = "";
  #tail = "";
  #tailFailure = "";
  #token = "";
  #again: () => void = () => {};

  protected override onOpen(signal: AbortSignal): void {
    const open = currentRoute().parameters.get("open") ?? "";
    const parts = open.split("/").slice(1);
    for (let depth = 1; depth <= parts.length; depth++) {
      this.#branches.set(`/${parts.slice(0, depth).join("/")}`, { pages: [], wanted: 1 });
    }
    this.#feed.addEventListener("change", () => this.requestUpdate(), { signal });
    globalThis.addEventListener("hashchange", () => this.#follow(), { signal });
    signal.addEventListener("abort", () => this.#feed.close());
    this.#again = poll(() => this.#load(signal), INTERVAL, signal);
    this.#follow();
  }

  protected override onChange(): void {
    // The tree is loaded at its own interval, not each second.
  }

  async #load(signal: AbortSignal): Promise<void> {
    let left = BRANCHES_MAX;
    for (const [under, branch] of [...this.#branches]) {
      const pages: SubjectPage[] = [];
      try {
        for (let page = 0; page < branch.wanted && left-- > 0; page++) {
          const answer = await get<SubjectPage>("subjects", { under, page }, signal);
          pages.push(answer);
          if ((page + 1) * answer.size >= answer.total) break;
        }
        if (pages.length) branch.pages = pages;
        this.#failure = "";
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.status === 404) this.#branches.delete(under);
        else this.#failure = describe(error);
      }
      this.requestUpdate();
    }
  }

  #toggle(path: string): void {
    if (this.#branches.has(path)) {
      for (const under of [...this.#branches.keys()]) {
        if (under === path || under.startsWith(`${path}/`)) this.#branches.delete(under);
      }
    } else this.#branches.set(path, { pages: [], wanted: 1 });
    const deepest = [...this.#branches.keys()].sort((a, b) => b.split("/").length - a.split("/").length)[0];
    go("subjects", { open: deepest, tail: this.#tail });
    this.requestUpdate();
    this.#again();
  }

  #more(under: string): void {
    const branch = this.#branches.get(under);
    if (branch) branch.wanted++;
    this.#again();
  }

  #follow(): void {
    const tail = currentRoute().parameters.get("tail") ?? "";
    if (tail !== this.#tail) {
      const before = this.#tail;
      this.#tail = tail;
      void this.#openTail();
      void this.updateComplete.then(() => {
        const place = tail ? ".drawer h2" : `a[data-subject="${CSS.escape(before)}"]`;
        this.querySelector<HTMLElement>(place)?.focus();
      });
    }
    this.requestUpdate();
  }

  async #openTail(): Promise<void> {
    this.#tailFailure = "";
    const subject = this.#tail;
    if (!subject) {
      this.#feed.close();
      return;
    }
    try {
      const answer = await get<TryAnswer>("try");
      if (subject !== this.#tail) return;
      if (!answer.servers.length) throw new Error("The server has no listener under the host name of this page.");
      this.#feed.open(answer.servers, this.#token);
      this.#feed.follow(subject, 20);
    } catch (error) {
      this.#tailFailure = error instanceof ApiError ? describe(error) : (error as Error).message;
    }
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const root = this.#branches.get("")?.pages[0];
    const all = root?.children.reduce((sum, { below, subject }) => sum + below + (subject ? 1 : 0), 0) ?? 0;
    const complete = [...this.#branches.values()].every(({ pages }) => pages.every((page) => page.complete));
    return html`
      <div class="heading"><h1>Subjects</h1><p role="status">${root ? `${plural(all, "subject")}${root.total > root.size ? " in the branches shown" : ""}${complete ? "" : "; the server does not count all subjects, so the sums are lower bounds"}` : ""}</p></div>
      ${failure(this.#failure)}
      <div class=${this.#tail ? "with-drawer" : ""}>
        <div class="card scroll" tabindex="0" role="region" aria-label="Subjects"><table class="list tree">
          <thead><tr><th scope="col">Subject</th><th scope="col" class="n">In/s</th><th scope="col" class="n">Out/s</th><th scope="col" class="n wide">Bytes out</th>
            <th scope="col" class="n slim">Subscribers</th><th scope="col" class="n">Kept</th><th scope="col" class="n wide">Bytes kept</th>
            <th scope="col" class="n wide">Oldest</th><th scope="col"><span class="hidden">Live</span></th></tr></thead>
          <tbody>${root ? this.#rows("", 0) : html`<tr><td colspan="9" class="empty">Waiting for the tree…</td></tr>`}</tbody>
        </table></div>
        ${this.#tail ? this.#drawer() : nothing}
      </div>
      <p class="hint">The server computes rates from two counts of all subjects, so rates appear after some seconds. Bytes out is estimated from the size of the latest message. Kept is the number of messages that the history of the subject itself now has.</p>`;
  }

  #rows(under: string, depth: number): TemplateResult {
    const branch = this.#branches.get(under);
    const last = branch?.pages.at(-1);
    if (!last) return html`<tr><td colspan="9" class="empty">Waiting…</td></tr>`;
    const children = branch?.pages.flatMap((page) => page.children) ?? [];
    const rest = last.total - (last.page + 1) * last.size;
    return html`${children.map((child) => this.#row(under, child, depth, last.atMillis))}
      ${rest > 0 ? html`<tr><td colspan="9" .style=${`padding-left:${depth * 20 + 36}px`}><button @click=${() => this.#more(under)}>Show more, ${count(rest)} left</button></td></tr>` : nothing}`;
  }

  #row(under: string, child: SubjectChild, depth: number, nowMillis: number): TemplateResult {
    const path = `${under}/${child.name}`;
    const open = this.#branches.has(path);
    const expandable = child.below > 0;
    const deepest = currentRoute().parameters.get("open") ?? "";
    return html`<tr class=${path === this.#tail ? "open" : ""}>
      <th scope="row" .style=${`padding-left:${depth * 20 + 8}px`}>${
        expandable
          ? html`<button class="twist" aria-expanded=${open} aria-label=${`${visible(child.name)}, ${plural(child.below, "subject")}`} @click=${() => this.#toggle(path)}><span aria-hidden="true">${open ? "▾" : "▸"}</span></button>`
          : html`<span class="twist"></span>`
      }<span class="name">${visible(child.name)}</span>${expandable ? html` <small class="muted">${count(child.below)}</small>` : nothing}</th>
      <td class="n">${short(child.in)}</td><td class="n">${short(child.out)}</td><td class="n wide">${bytes(child.bytesOut)}/s</td>
      <td class="n slim">${count(child.subscribers)}</td><td class="n">${count(child.messages)}</td><td class="n wide">${bytes(child.bytes)}</td>
      <td class="n wide">${child.oldestMillis === undefined ? NONE : duration(nowMillis - child.oldestMillis)}</td>
      <td class="nowrap">${child.subject ? html`<a href=${href("subjects", { open: deepest, tail: path })} data-subject=${path} aria-label=${`live messages of ${visible(path)}`}>live</a>` : nothing}</td></tr>
      ${open ? this.#rows(path, depth + 1) : nothing}`;
  }

  #close(): void {
    go("subjects", { open: currentRoute().parameters.get("open") ?? "" });
  }

  #drawer(): TemplateResult {
    const feed = this.#feed;
    return html`<aside class="card drawer" aria-labelledby="tail-title" @keydown=${(event: KeyboardEvent) => event.key === "Escape" && this.#close()}>
      <header><h2 id="tail-title" tabindex="-1">${visible(this.#tail)}</h2><button @click=${() => this.#close()}>Close</button></header>
      <p>${badge(feed.connected ? "good" : "plain", feed.status)} <span class="muted">${plural(feed.received, "message")} received</span></p>
      ${failure(this.#tailFailure || feed.problem)}
      ${this.#tailFailure || feed.problem ? this.#tokenForm() : nothing}
      ${messageList(feed.latest(100), false, "Live messages")}
      <p><a href=${href("try", { subject: this.#tail })}>Try this subject</a></p>
    </aside>`;
  }

  #tokenForm(): TemplateResult {
    return html`<form @submit=${(event: Event) => {
      event.preventDefault();
      void this.#openTail();
    }}><label>Token<input type="password" autocomplete="off" @input=${(event: InputEvent) => {
      this.#token = (event.target as HTMLInputElement).value;
    }}></label><button type="submit">Follow</button></form>`;
  }
}
