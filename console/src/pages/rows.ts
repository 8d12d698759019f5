import { html, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Row } from "../feed.js";
import { clock, visible } from "../format.js";

/** A list of messages, newest first. Subjects and payloads are rendered as text, never as HTML. */
export const messageList = (rows: readonly Row[], withSubject: boolean, label: string): TemplateResult =>
  html`<div class="messages" tabindex="0" role="region" aria-label=${label}><ol>${repeat(
    rows,
    ({ number }) => number,
    (row) => html`<li class=${row.note}>
      <time>${clock(row.time)}</time>
      <span class="data">${withSubject ? html`<b>${visible(row.subject)}</b> ` : ""}${visible(row.text)}</span>
      <span class="note">${row.note}</span><code>${row.position.slice(row.position.indexOf(":") + 1)}</code></li>`,
  )}</ol></div>`;
