import { say } from './after/spelling.ts';
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
import { TOKENS, isValue, propertyOf } from './message.ts';

/** Tokens of colours that stand on the background, or in front of which the background's colour stands. */
const TONES = ['accent', 'warning', 'success', 'danger'] as const;
const name = (token: string): string => `--crypto-checkout-${token}`;

/** What was read last of each element: nothing is measured twice. */
const known = new WeakMap<Element, string>();
const waiting = new WeakSet<Element>();
/** Elements on the page; those that left it are forgotten at the next change. */
const worn = new Set<HTMLElement>();
let watching = false;

/**
 * Keeps what a shop's theme does to the checkout readable: colours that nobody could read on what is behind them are replaced, by ones as
 * near to them as can be. It runs once the stage is painted, and again when the theme or the stage changes.
 */
export function keepReadable(host: HTMLElement): void {
  if (waiting.has(host)) return;
  waiting.add(host);
  watch(host);
  requestAnimationFrame(() =>
    setTimeout(() => {
      waiting.delete(host);
      if (host.isConnected) correct(host);
    }),
  );
}

function watch(host: HTMLElement): void {
  if (!worn.has(host)) new MutationObserver(() => keepReadable(host)).observe(host, { attributeFilter: ['class', 'style', 'theme'] });
  worn.add(host);
  if (watching) return;
  watching = true;
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
    matchMedia(query).addEventListener('change', () => {
      for (const one of worn)
        if (one.isConnected) keepReadable(one);
        else worn.delete(one);
    });
}

function correct(host: HTMLElement): void {
  const base = host.shadowRoot?.querySelector<HTMLElement>('[part~="base"]');
  // Forced colours are the reader's own.
  if (!base || matchMedia('(forced-colors: active)').matches) return;
  const style = getComputedStyle(host);
  const written = TOKENS.map((token) => style.getPropertyValue(token).trim());
  const words = [...(host.shadowRoot?.querySelectorAll('[part]') ?? [])].map((part) => part.getAttribute('part')).join(' ');
  const state = [...written, style.colorScheme, matchMedia('(prefers-color-scheme: dark)').matches, words].join('|');
  if (known.get(host) === state) return;
  known.set(host, state);
  base.removeAttribute('style');
  // What is no value of what it sets would undo what comes without it, and does not count as given.
  const given = written.map((value, at) => (isValue(TOKENS[at]!, value) ? value : ''));
  for (const [at, token] of TOKENS.entries()) if (written[at] && !given[at]) base.style.setProperty(token, 'initial');
  if (given.some((value, at) => value && propertyOf(TOKENS[at]!) === 'color')) correctTokens(base, (token) => given[TOKENS.indexOf(token)]);
  const read = reader(base);
  const behindOf = finder(read);
  for (const element of textsIn(host.shadowRoot!)) correctText(element, read, behindOf);
}

function correctTokens(base: HTMLElement, givenFor: (token: string) => string | undefined): void {
  const set = (property: string, colour: Colour): void => base.style.setProperty(property, cssOf(colour));
  const putRight = (property: string, colour: Colour): void => {
    const [value, css] = [givenFor(property), cssOf(colour)];
    set(property, colour);
    if (value)
      say(
        'warn',
        `${property}: ${value} could not be read with the other colours: it is drawn as ${css}${property === name('accent') ? ', except on buttons' : ''}`,
      );
  };
  const read = reader(base);
  // What the browser draws by itself, and what the shop left open, goes with the shop's background and not with the device.
  const ground = over(read('var(--_back)'), finder(read)(base.getRootNode()) ?? WHITE);
  base.style.colorScheme = plainOn(ground) === BLACK ? 'light' : 'dark';
  const given = { text: read('var(--_text)'), back: read('var(--_back)') };
  const behind = over(given.back, finder(read)(base.getRootNode()) ?? plainOn(given.text));
  let [text, back] = [given.text, behind];
  const tones = TONES.map((token) => [token, read(TONE_OF[token])] as const);
  // Text also stands on the tinted backgrounds of notes.
  const isReadable = (colour: Colour): boolean =>
    [back, mix(text, 0.06, back), ...tones.map(([, tone]) => mix(tone, 0.12, back))].every((one) => contrast(colour, one) >= READABLE);
  if (!isReadable(text)) {
    text = [BLACK, WHITE].find(isReadable) ?? plainOn(back);
    // A background on which nothing is read goes all the way.
    if (!isReadable(text)) back = text === BLACK ? WHITE : BLACK;
    putRight(name('text'), text);
  }
  if (back !== behind) putRight(name('background'), back);
  else if (given.back[3] < 1) set(name('background'), back);
  if (contrast(mix(text, 0.72, back), back) < READABLE) set('--_quiet', text);
  for (const [token, tone] of tones) {
    // The nearest shade of the shop's colour that can be read, and whose tint the text can be read on.
    const shades = shadesOf(over(tone, back), plainOn(back));
    const readable = shades.filter((one) => contrast(one, mix(one, 0.12, back)) >= READABLE);
    const shade = readable.find((one) => contrast(text, mix(one, 0.12, back)) >= READABLE) ?? readable[0] ?? text;
    if (shade !== shades[0]) putRight(name(token), shade);
    if (token !== 'accent') continue;
    // A button may keep the shop's colour: what is read there is the text on it.
    const fill = over(tone, back);
    set('--_fill', fill);
    if (contrast(back, fill) < READABLE) set('--_on', plainOn(fill));
  }
}

const TONE_OF = {
  accent: 'var(--_accent)',
  warning: 'var(--_warn)',
  success: `var(${name('success')}, var(--_text))`,
  danger: `var(${name('danger')}, var(--_text))`,
} as const;

type Read = (colour: string) => Colour;

/** Reads what a colour comes to in an element. */
function reader(element: HTMLElement): Read {
  const probe = document.createElement('i');
  return (colour) => {
    const plain = readColour(colour);
    if (plain) return plain;
    element.append(probe);
    // Mixed with itself: browsers answer that in sRGB, however it was written.
    probe.style.color = `color-mix(in srgb, ${colour}, ${colour})`;
    const found = readColour(getComputedStyle(probe).color);
    probe.remove();
    return found ?? BLACK;
  };
}

type Behind = (node: Node | null) => Colour | null;

/** Finds the colour behind the content of a node, each node once; null where it cannot be known, as with a picture. */
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

/** Every element with words of its own, in all shadow roots below. */
function textsIn(root: ShadowRoot): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => [
    ...(element.nodeName !== 'STYLE' && [...element.childNodes].some((node) => node instanceof Text && node.data.trim()) ? [element] : []),
    ...(element.shadowRoot ? textsIn(element.shadowRoot) : []),
  ]);
}

/** A part that the shop's own rules made unreadable. */
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
