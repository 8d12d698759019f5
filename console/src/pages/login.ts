import { html, type TemplateResult } from "lit";
import { ApiError, describe, post } from "../api.js";
import { failure, View } from "../view.js";

/** The login form; sends the event `logged-in` after a successful login. */
export class LoginForm extends View {
  #failure = "";
  #busy = false;

  protected override firstUpdated(): void {
    this.querySelector("input")?.focus();
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fields = new FormData(form);
    this.#busy = true;
    this.#failure = "";
    this.requestUpdate();
    try {
      await post("login", { username: fields.get("username"), password: fields.get("password") });
      this.dispatchEvent(new Event("logged-in"));
    } catch (error) {
      const wrong = error instanceof ApiError && error.status === 401;
      this.#failure = wrong ? "The name or the password is wrong." : describe(error);
      this.querySelector<HTMLInputElement>("input[name=password]")?.select();
    } finally {
      this.#busy = false;
      this.requestUpdate();
    }
  }

  protected override render(): TemplateResult {
    return html`<main class="lonely">
      <form class="card login" @submit=${this.#submit}>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1a1 1 0 0 1 1 1v.6A4.5 4.5 0 0 1 12.5 7v3l1.5 2H2l1.5-2V7A4.5 4.5 0 0 1 7 2.6V2a1 1 0 0 1 1-1zM6.3 13h3.4a1.7 1.7 0 0 1-3.4 0z"/></svg>
        <h1>Belfry console</h1>
        <label>Name<input name="username" autocomplete="username" required spellcheck="false" autocapitalize="off"></label>
        <label>Password<input name="password" type="password" autocomplete="current-password" required></label>
        ${failure(this.#failure)}
        <button class="main" type="submit" ?disabled=${this.#busy}>${this.#busy ? "Checking…" : "Log in"}</button>
        <p class="hint">The keys <code>MonitorUsername</code> and <code>MonitorPassword</code> of the server define the name and the password.
          Without <code>MonitorPassword</code>, the file <code>monitor.password</code> contains the password.</p>
      </form>
    </main>`;
  }
}
