// The support must be evaluated before Lit is.
import '@lit-labs/ssr-client/lit-element-hydrate-support.js';
import { takeOver } from '@crypto-checkout/elements/takeover';
import { type CSSResultOrNative, LitElement, type RenderOptions, adoptStyles, render } from 'lit';

interface Drawn {
  readonly renderRoot: ShadowRoot;
  readonly renderOptions: RenderOptions;
  update(changed: Map<PropertyKey, unknown>): void;
  render(): unknown;
}

// It has done its work: another copy of Lit on the same page, a shop's own, must not find it.
delete (globalThis as { litElementHydrateSupport?: unknown }).litElementHydrateSupport;

const prototype = LitElement.prototype as unknown as Drawn;
const { update } = prototype;

/**
 * Where server and browser would draw different things, hydration throws and leaves half of each on the screen, with buttons that do
 * nothing. Then the element is drawn anew, as if there had been no server.
 */
prototype.update = function (this: Drawn & LitElement, changed) {
  const { renderRoot } = this;
  const fromServer = renderRoot.childElementCount > 0 && !('_$litPart$' in renderRoot);
  try {
    const draw = (): void => update.call(this, changed);
    if (!fromServer) draw();
    // A server tells times in UTC: once they are ours, they become the reader's.
    else if (takeOver(draw)) queueMicrotask(() => this.requestUpdate());
  } catch (error) {
    if (!fromServer) throw error;
    renderRoot.replaceChildren();
    delete (renderRoot as { _$litPart$?: unknown })._$litPart$;
    // What it was given besides its own stays.
    const worn = [...renderRoot.adoptedStyleSheets];
    adoptStyles(renderRoot, (this.constructor as unknown as { elementStyles: CSSResultOrNative[] }).elementStyles);
    renderRoot.adoptedStyleSheets = [...new Set([...renderRoot.adoptedStyleSheets, ...worn])];
    this.renderOptions.renderBefore = null;
    render(this.render(), renderRoot, this.renderOptions);
  }
};
