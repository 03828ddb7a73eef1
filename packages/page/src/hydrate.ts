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

// Removed after use: another copy of Lit on the page, a shop's own, must not find it.
delete (globalThis as { litElementHydrateSupport?: unknown }).litElementHydrateSupport;

const prototype = LitElement.prototype as unknown as Drawn;
const { update } = prototype;

/**
 * When server and browser markup differ, hydration throws and leaves a broken mix on the screen.
 * Then the element is rendered again from scratch.
 */
prototype.update = function (this: Drawn & LitElement, changed) {
  const { renderRoot } = this;
  const fromServer = renderRoot.childElementCount > 0 && !('_$litPart$' in renderRoot);
  try {
    const draw = (): void => update.call(this, changed);
    if (!fromServer) draw();
    // A server formats times in UTC; after hydration they are local.
    else if (drawHydrating(draw)) queueMicrotask(() => this.requestUpdate());
  } catch (error) {
    if (!fromServer) throw error;
    renderRoot.replaceChildren();
    delete (renderRoot as { _$litPart$?: unknown })._$litPart$;
    // Attributes and properties other than its own stay.
    const worn = [...renderRoot.adoptedStyleSheets];
    adoptStyles(
      renderRoot,
      (this.constructor as unknown as { elementStyles: CSSResultOrNative[] }).elementStyles,
    );
    renderRoot.adoptedStyleSheets = [...new Set([...renderRoot.adoptedStyleSheets, ...worn])];
    this.renderOptions.renderBefore = null;
    render(this.render(), renderRoot, this.renderOptions);
  }
};
