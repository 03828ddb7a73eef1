import { LitElement, type PropertyDeclarations, type TemplateResult, html, nothing } from 'lit';
import { go } from '../navigate.ts';
import { pathTo } from '../route.ts';
import { write } from '../server.ts';

/**
 * The page of a one-time link. Its token is in the fragment, which browsers do not send. Only the
 * button uses it up, so link previews do not.
 */
export class SignInView extends LitElement {
  static override properties: PropertyDeclarations = {
    trouble: { attribute: false },
    busy: { state: true },
  };

  /** The reason for signing in, when it was not by a link. */
  declare trouble: string | undefined;
  declare private busy: boolean;

  protected override createRenderRoot(): this {
    return this;
  }

  async #signIn(): Promise<void> {
    this.busy = true;
    try {
      await write('sign-in/', { token: location.hash.slice(1) });
      // Also removes the token from the browser's history.
      go(pathTo('home'), 'heading', { replace: true });
    } catch (error) {
      this.trouble = error instanceof Error ? error.message : String(error);
    }
    this.busy = false;
  }

  protected override render(): TemplateResult {
    document.title = 'Sign in – Dashboard';
    const link = location.hash.length > 1 && location.pathname === pathTo('sign-in');
    return html`
      <div class="sign-in card">
        <h1 tabindex="-1">Sign in</h1>
        ${this.trouble ? html`<p class="trouble" role="alert">${this.trouble}</p>` : nothing}
        ${
          link
            ? html`<p>This link signs you in to the dashboard, once.</p>
                <div class="actions">
                  <button
                    type="button"
                    class="primary"
                    ?disabled=${this.busy}
                    @click=${this.#signIn}
                  >
                    Sign in
                  </button>
                </div>`
            : html`<p>
                  The dashboard is entered by a one-time link. On the machine of the gateway:
                </p>
                <pre>npm run gateway -- login</pre>`
        }
      </div>
    `;
  }
}
