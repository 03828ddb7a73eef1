import { logOnce } from '../core/console.ts';
import { TOKENS, isValue, propertyOf } from './custom-properties.ts';
import {
  BLACK,
  type Colour,
  READABLE,
  READABLE_LARGE,
  WHITE,
  contrast,
  cssOf,
  mix,
  over,
  plainOn,
  readColour,
  shadesOf,
} from './colour.ts';

/** Colour tokens that are drawn on the background, or behind its colour. */
const TONES = ['accent', 'warning', 'success', 'danger'] as const;
const name = (token: string): string => `--crypto-checkout-${token}`;

/** Last computed state of each element, to skip repeated work. */
const applied = new WeakMap<Element, string>();
const scheduled = new WeakSet<Element>();
/** Elements on the page; removed ones are dropped at the next change. */
const themed = new Set<HTMLElement>();
let watching = false;

/**
 * Keeps a shop's theme readable: colours without enough contrast are replaced by the nearest
 * readable ones. Runs after the stage is painted, and again when the theme or the stage changes.
 */
export function keepReadable(host: HTMLElement): void {
  if (scheduled.has(host)) return;
  scheduled.add(host);
  watch(host);
  requestAnimationFrame(() =>
    setTimeout(() => {
      scheduled.delete(host);
      if (host.isConnected) correct(host);
    }),
  );
}

function watch(host: HTMLElement): void {
  if (!themed.has(host))
    new MutationObserver(() => keepReadable(host)).observe(host, {
      attributeFilter: ['class', 'style', 'theme'],
    });
  themed.add(host);
  if (watching) return;
  watching = true;
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
    matchMedia(query).addEventListener('change', () => {
      for (const one of themed)
        if (one.isConnected) keepReadable(one);
        else themed.delete(one);
    });
}

function correct(host: HTMLElement): void {
  const base = host.shadowRoot?.querySelector<HTMLElement>('[part~="base"]');
  // Forced colours are the reader's own.
  if (!base || matchMedia('(forced-colors: active)').matches) return;
  const style = getComputedStyle(host);
  const written = TOKENS.map((token) => style.getPropertyValue(token).trim());
  const words = [...(host.shadowRoot?.querySelectorAll('[part]') ?? [])]
    .map((part) => part.getAttribute('part'))
    .join(' ');
  const state = [
    ...written,
    style.colorScheme,
    matchMedia('(prefers-color-scheme: dark)').matches,
    words,
  ].join('|');
  if (applied.get(host) === state) return;
  applied.set(host, state);
  base.removeAttribute('style');
  // An invalid value would disable the default, so that it counts as not set.
  const given = written.map((value, at) => (isValue(TOKENS[at]!, value) ? value : ''));
  for (const [at, token] of TOKENS.entries())
    if (written[at] && !given[at]) base.style.setProperty(token, 'initial');
  if (given.some((value, at) => value && propertyOf(TOKENS[at]!) === 'color'))
    correctTokens(base, (token) => given[TOKENS.indexOf(token)]);
  const read = reader(base);
  const behindOf = finder(read);
  for (const element of textsIn(host.shadowRoot!)) correctText(element, read, behindOf);
}

function correctTokens(base: HTMLElement, givenFor: (token: string) => string | undefined): void {
  const set = (property: string, colour: Colour): void =>
    base.style.setProperty(property, cssOf(colour));
  const replace = (property: string, colour: Colour): void => {
    const [value, css] = [givenFor(property), cssOf(colour)];
    set(property, colour);
    if (value)
      logOnce(
        'warn',
        `${property}: ${value} could not be read with the other colours: it is drawn as ${css}${property === name('accent') ? ', except on buttons' : ''}`,
      );
  };
  const read = reader(base);
  // Browser controls and unset colours follow the shop's background, not the device.
  const ground = over(read('var(--_back)'), finder(read)(base.getRootNode()) ?? WHITE);
  base.style.colorScheme = plainOn(ground) === BLACK ? 'light' : 'dark';
  const given = { text: read('var(--_text)'), back: read('var(--_back)') };
  const behind = over(given.back, finder(read)(base.getRootNode()) ?? plainOn(given.text));
  let [text, back] = [given.text, behind];
  const tones = TONES.map((token) => [token, read(TONE_VALUES[token])] as const);
  // Text is also drawn on the tinted backgrounds of notes.
  const isReadable = (colour: Colour): boolean =>
    [back, mix(text, 0.06, back), ...tones.map(([, tone]) => mix(tone, 0.12, back))].every(
      (one) => contrast(colour, one) >= READABLE,
    );
  if (!isReadable(text)) {
    text = [BLACK, WHITE].find(isReadable) ?? plainOn(back);
    // No text colour is readable: use a plain background.
    if (!isReadable(text)) back = text === BLACK ? WHITE : BLACK;
    replace(name('text'), text);
  }
  if (back !== behind) replace(name('background'), back);
  else if (given.back[3] < 1) set(name('background'), back);
  if (contrast(mix(text, 0.72, back), back) < READABLE) set('--_quiet', text);
  for (const [token, tone] of tones) {
    // The nearest shade of the shop's colour that is readable, also below text on its tint.
    const shades = shadesOf(over(tone, back), plainOn(back));
    const readable = shades.filter((one) => contrast(one, mix(one, 0.12, back)) >= READABLE);
    const shade =
      readable.find((one) => contrast(text, mix(one, 0.12, back)) >= READABLE) ??
      readable[0] ??
      text;
    if (shade !== shades[0]) replace(name(token), shade);
    if (token !== 'accent') continue;
    // Buttons keep the shop's colour; their text is adapted instead.
    const fill = over(tone, back);
    set('--_fill', fill);
    if (contrast(back, fill) < READABLE) set('--_on', plainOn(fill));
  }
}

const TONE_VALUES = {
  accent: 'var(--_accent)',
  warning: 'var(--_warn)',
  success: `var(${name('success')}, var(--_text))`,
  danger: `var(${name('danger')}, var(--_text))`,
} as const;

type Read = (colour: string) => Colour;

/** Resolves a CSS colour in an element. */
function reader(element: HTMLElement): Read {
  const probe = document.createElement('i');
  return (colour) => {
    const plain = readColour(colour);
    if (plain) return plain;
    element.append(probe);
    // Browsers return mixed colours in sRGB, whatever the notation.
    probe.style.color = `color-mix(in srgb, ${colour}, ${colour})`;
    const found = readColour(getComputedStyle(probe).color);
    probe.remove();
    return found ?? BLACK;
  };
}

type Behind = (node: Node | null) => Colour | null;

/**
 * Finds the colour behind a node's content, with a cache; null if it is unknown, such as an image.
 */
function finder(read: Read): Behind {
  const found = new Map<Node, Colour | null>();
  const find: Behind = (node) => {
    if (!node) return WHITE;
    if (!found.has(node)) found.set(node, look(node));
    return found.get(node)!;
  };
  const look: Behind = (node) => {
    if (node instanceof ShadowRoot) return find(node.host);
    const outer = (node as Element).assignedSlot ?? node!.parentNode;
    if (!(node instanceof Element)) return find(outer);
    const { backgroundColor, backgroundImage } = getComputedStyle(node);
    if (backgroundImage !== 'none') return null;
    const layer = read(backgroundColor);
    const behind = layer[3] < 1 ? find(outer) : WHITE;
    return behind && over(layer, behind);
  };
  return find;
}

/** All elements with text of their own, across shadow roots. */
function textsIn(root: ShadowRoot): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => [
    ...(element.nodeName !== 'STYLE' &&
    [...element.childNodes].some((node) => node instanceof Text && node.data.trim())
      ? [element]
      : []),
    ...(element.shadowRoot ? textsIn(element.shadowRoot) : []),
  ]);
}

/** Corrects text that the shop's own rules made unreadable. */
function correctText(element: HTMLElement, read: Read, behindOf: Behind): void {
  element.style.removeProperty('color');
  const { color, fontSize, fontWeight, opacity } = getComputedStyle(element);
  const size = parseFloat(fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
  const [ink, behind] = [read(color), behindOf(element)];
  if (!behind || element.closest('[aria-disabled="true"], [aria-live]')) return;
  const seen: Colour = [ink[0], ink[1], ink[2], ink[3] * Number(opacity)];
  if (contrast(seen, behind) >= (large ? READABLE_LARGE : READABLE)) return;
  element.style.setProperty('color', cssOf(plainOn(behind)), 'important');
  if (Number(opacity) < 1) element.style.setProperty('opacity', '1', 'important');
}
