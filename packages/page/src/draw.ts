import { inLocale } from '@crypto-checkout/elements/locale';
import { type RenderInfo, render } from '@lit-labs/ssr';
import { LitElementRenderer } from '@lit-labs/ssr/lib/lit-element-renderer.js';
import type { ThunkedRenderResult } from '@lit-labs/ssr/lib/render-result.js';
import { collectResultSync } from '@lit-labs/ssr/lib/render-result.js';
import type { TemplateResult, nothing } from 'lit';
// The code for every stage is loaded before the first render.
import './styles.ts';

/** The language of the template that is being drawn, in one synchronous step. */
let drawnIn = '';

/** In a browser an element inherits its language from an ancestor. On a server it is set here. */
class Renderer extends LitElementRenderer {
  override connectedCallback(): void {
    const element = this.element as { locale?: string | null };
    element.locale ??= drawnIn;
    super.connectedCallback();
  }

  /**
   * Each style sheet is an element of its own: a policy lists it once for all elements, and the
   * hosted page's script takes sheets from there.
   */
  override renderShadow(info: RenderInfo): ThunkedRenderResult | undefined {
    const drawn = super.renderShadow(info);
    const end = drawn?.indexOf('</style>') ?? -1;
    if (!drawn || end < 0) return drawn;
    const sheets = drawn.slice(1, end) as string[];
    return [...sheets.map((css) => css && `<style>${css}</style>`), ...drawn.slice(end + 1)];
  }
}

/** True in built servers: built scripts expect the digests as `short-hydration.ts` leaves them. */
declare const __SHORT_DIGESTS__: boolean | undefined;
const hasShortDigests = typeof __SHORT_DIGESTS__ !== 'undefined';

/** The marker of a drawn template, with the digest that hydration compares. */
const MARKER = /<!--lit-part ([\w+/]{3})[\w+/]{8}=-->/g;

/** Written by the renderer for browsers before the standard, which ours do not include. */
const OLD_ATTRIBUTE = ' shadowroot="open"';

/**
 * Renders a template in a language in one synchronous step, so that no other request's language can
 * interfere.
 */
export function draw(template: TemplateResult | typeof nothing, language: string): string {
  drawnIn = language;
  const html = inLocale(language, () =>
    collectResultSync(render(template, { elementRenderers: [Renderer] })),
  ).replaceAll(OLD_ATTRIBUTE, '');
  return hasShortDigests ? html.replaceAll(MARKER, '<!--lit-part $1-->') : html;
}
