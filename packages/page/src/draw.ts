import { inLocale } from '@crypto-checkout/elements/locale';
import { render } from '@lit-labs/ssr';
import { LitElementRenderer } from '@lit-labs/ssr/lib/lit-element-renderer.js';
import { collectResultSync } from '@lit-labs/ssr/lib/render-result.js';
import type { TemplateResult, nothing } from 'lit';
// Before anything is drawn: the code for every stage is at hand.
import './styles.ts';

const renderers = new Map<string, typeof LitElementRenderer>();

/** An element finds its language by the one around it, which no element knows on a server: there it is told. */
function rendererFor(language: string): typeof LitElementRenderer {
  const known = renderers.get(language);
  if (known) return known;
  class Renderer extends LitElementRenderer {
    override connectedCallback(): void {
      const element = this.element as { locale?: string | null };
      element.locale ??= language;
      super.connectedCallback();
    }
  }
  renderers.set(language, Renderer);
  return Renderer;
}

/** Draws a template in a language, in one synchronous piece: no other request's language can come in between. */
export function draw(template: TemplateResult | typeof nothing, language: string): string {
  return inLocale(language, () => collectResultSync(render(template, { elementRenderers: [rendererFor(language)] })));
}
