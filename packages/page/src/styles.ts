import '@crypto-checkout/elements/embed';
import * as after from '@crypto-checkout/elements/after';
import * as handOff from '@crypto-checkout/elements/hand-off';
import { provideAfter, provideHandOff, providePicker } from '@crypto-checkout/elements/later';
import * as picker from '@crypto-checkout/elements/picker';
import { type LitElement, css } from 'lit';
import { styleHash } from './headers.ts';
import { FRAME_CSS, MESSAGE_CSS, ONRAMP_CSS, PAGE_CSS } from './sheet.ts';

// A server draws every stage, and waits for nothing.
provideAfter(after);
provideHandOff(handOff);
providePicker(picker);

/** Every element that is drawn on a page. */
const TAGS = [
  'crypto-checkout',
  'crypto-coin-picker',
  'crypto-amount',
  'crypto-address',
  'crypto-qr',
  'crypto-countdown',
  'crypto-status',
  'crypto-hand-off',
];

/** Where there is no script, nothing stands that needs one. A browser that draws by itself has one. */
const NO_SCRIPT = css`
  @media (scripting: none) {
    .script {
      display: none;
    }
  }
`;

/**
 * The code first: what stands below or beside it is left out of the very first picture, and is there in the next. Nothing on the screen
 * moves for it. Where such animations are unknown or switched off, and once the script is there, everything is shown at once.
 */
const CODE_FIRST = css`
  @keyframes rest {
    from {
      display: none;
    }
  }
  :host(:not(:defined)) :is(crypto-qr ~ *, .pay > * + *, .pay ~ *, [part='footer']) {
    animation: rest 1ms step-end;
  }
`;

const classOf = (tag: string): Partial<typeof LitElement> => (customElements.get(tag) ?? {}) as Partial<typeof LitElement>;
for (const tag of TAGS) classOf(tag).elementStyles?.push(NO_SCRIPT);
// Also where it says nothing: the same text has the same hash, and is one less in the policy of every answer.
for (const tag of ['crypto-checkout', 'crypto-status']) classOf(tag).elementStyles?.push(CODE_FIRST);

/** The styles that Lit writes for the elements: for each the texts of its sheets, one after the other. */
const ELEMENT_CSS = TAGS.map((tag) => {
  const { elementStyles = [] } = classOf(tag);
  return elementStyles.map((style) => ('cssText' in style ? style.cssText : '')).join('');
});

/** Every style that we know, with the source expression for it. */
const HASHES = new Map(
  await Promise.all(
    [...new Set([PAGE_CSS, FRAME_CSS, MESSAGE_CSS, ONRAMP_CSS, ...ELEMENT_CSS])].map(async (css) => [css, await styleHash(css)] as const),
  ),
);

/** Source expressions for a policy that lets the elements' styles through. */
export const ELEMENT_HASHES: readonly string[] = [...new Set(ELEMENT_CSS)].map((css) => HASHES.get(css)!);

/** The same for exactly the styles of this page: what a script draws later brings its own, which no policy asks about. */
export function hashesOf(html: string): string {
  const used = new Set(Array.from(html.matchAll(/<style>([^<]*)<\/style>/g), ([, css = '']) => HASHES.get(css)));
  return [...used].filter(Boolean).join(' ');
}
