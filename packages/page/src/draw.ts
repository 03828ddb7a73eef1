import { inLocale } from '@crypto-checkout/elements/locale';
import { render } from '@lit-labs/ssr';
import { LitElementRenderer } from '@lit-labs/ssr/lib/lit-element-renderer.js';
import { collectResultSync } from '@lit-labs/ssr/lib/render-result.js';
import type { TemplateResult, nothing } from 'lit';
// The code for every stage is loaded before the first render.
import './styles.ts';

const renderers = new Map<string, typeof LitElementRenderer>();

/** In a browser an element inherits its language from an ancestor. On a server it is set here. */
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

/** Written by the renderer for browsers before the standard, which ours do not include. */
const OLD_ATTRIBUTE = ' shadowroot="open"';

/**
 * Renders a template in a language in one synchronous step, so that no other request's language can
 * interfere.
 */
export function draw(template: TemplateResult | typeof nothing, language: string): string {
  return inLocale(language, () =>
    collectResultSync(render(template, { elementRenderers: [rendererFor(language)] })).replaceAll(
      OLD_ATTRIBUTE,
      '',
    ),
  );
}
