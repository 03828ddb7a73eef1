// Hydration support must be evaluated before Lit.
import '@lit-labs/ssr-client/lit-element-hydrate-support.js';
import { drawHydrating } from '@crypto-checkout/elements/hydration';
import { type CSSResultOrNative, LitElement, type RenderOptions, adoptStyles, render } from 'lit';

interface Drawn {
  readonly renderRoot: ShadowRoot;
  readonly renderOptions: RenderOptions;
  update(changed: Map<PropertyKey, unknown>): void;
  render(): unknown;
}

// Another copy of Lit on the page, such as a shop's own, must not find this hook.
delete (globalThis as { litElementHydrateSupport?: unknown }).litElementHydrateSupport;

const prototype = LitElement.prototype as unknown as Drawn;
const { update } = prototype;

/**
 * Hydrates markup of the server. If it differs from the browser's, Lit throws and leaves broken
 * markup behind; the element is then rendered anew.
 */
prototype.update = function (this: Drawn & LitElement, changed) {
  const { renderRoot } = this;
  const fromServer = renderRoot.childElementCount > 0 && !('_$litPart$' in renderRoot);
  try {
    const draw = (): void => update.call(this, changed);
    if (!fromServer) draw();
    // The server formats times in UTC: a second render shows them in local time.
    else if (drawHydrating(draw)) queueMicrotask(() => this.requestUpdate());
  } catch (error) {
    if (!fromServer) throw error;
    renderRoot.replaceChildren();
    delete (renderRoot as { _$litPart$?: unknown })._$litPart$;
    // Style sheets that were adopted earlier stay.
    const earlier = [...renderRoot.adoptedStyleSheets];
    adoptStyles(
      renderRoot,
      (this.constructor as unknown as { elementStyles: CSSResultOrNative[] }).elementStyles,
    );
    renderRoot.adoptedStyleSheets = [...new Set([...renderRoot.adoptedStyleSheets, ...earlier])];
    this.renderOptions.renderBefore = null;
    render(this.render(), renderRoot, this.renderOptions);
  }
};
