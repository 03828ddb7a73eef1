import { sentences } from './after/sentence.ts';
import { sourceLocale } from './generated/locale-codes.ts';
import { inLocale, loadLocale } from './locale.ts';
import type { Part } from './part.ts';

/** Between making a live region and filling it: one that is born with its text is not read. */
const VOICE_MS = 100;
/** After which nobody is reading it any more. */
const SILENT_MS = 10_000;

/** What a text is about of which only the newest counts: where the payment stands, and that the page is going back to the shop. */
export type About = 'news' | 'leaving';

export interface Manner {
  /** What waits to be said about the same is not said any more. */
  about?: About;
  /** Texts that are said together are parted as in this language. */
  language?: string;
  onSaid?: () => void;
}

type Saying = Manner & { text: string };
type Root = DocumentFragment | HTMLElement;

/** What waits to be said: texts that come at the same moment are said one after the other. */
const waiting = new WeakMap<Node, Saying[]>();
/** What a live region holds. */
const standing = new WeakMap<Node, Saying[]>();

/** The one live region of an element that stands alone. */
export function voiceOf(root: Root): HTMLElement {
  const made = [...root.children].find((child) => child.hasAttribute('aria-live'));
  if (made) return made as HTMLElement;
  const voice = document.createElement('span');
  // What `role=status` says, without the role: a reader who comes to the end of the page would meet an empty status bar.
  for (const [name, value] of Object.entries({ 'aria-live': 'polite', 'aria-atomic': 'true' })) voice.setAttribute(name, value);
  // However long the text, nothing beside it moves or scrolls.
  const small = { inlineSize: '1px', blockSize: '1px', overflow: 'hidden', whiteSpace: 'nowrap' };
  Object.assign(voice.style, { position: 'absolute', opacity: '0', ...small });
  root.append(voice);
  return voice;
}

/** Has a text read by a screen reader, politely; who looks around later finds only what is on the screen. */
export function speak(root: Root, text: string, manner: Manner = {}): void {
  const voice = voiceOf(root);
  if (manner.about) forget(voice, manner.about);
  if (!text) return manner.onSaid?.();
  const saying = { ...manner, text };
  const others = waiting.get(voice);
  if (others) return void others.push(saying);
  waiting.set(voice, [saying]);
  setTimeout(() => fill(voice), VOICE_MS);
}

function fill(voice: HTMLElement): void {
  const sayings = waiting.get(voice) ?? [];
  waiting.delete(voice);
  // All of it was taken back.
  if (!sayings.length) return;
  const all = join(sayings);
  // The same words again are only read when the text changes.
  const said = (voice.textContent = voice.textContent === all ? `${all}\u00a0` : all);
  standing.set(voice, sayings);
  for (const { onSaid } of sayings) onSaid?.();
  setTimeout(() => {
    if (voice.textContent === said) voice.textContent = '';
  }, SILENT_MS);
}

function join(sayings: readonly Saying[]): string {
  const [first, ...more] = new Set(sayings.map(({ text }) => text));
  return more.length ? inLocale(sayings[0]!.language ?? sourceLocale, () => sentences(first, ...more)) : first!;
}

/** What is not true any more is not said, and nobody finds it where it was. */
export function unsay(root: Root, about: About): void {
  const voice = voiceOf(root);
  forget(voice, about);
  // Less of it would be read once more.
  if (standing.get(voice)?.some((saying) => saying.about === about)) voice.textContent = '';
}

function forget(voice: Node, about: About): void {
  const sayings = waiting.get(voice);
  sayings?.splice(0, sayings.length, ...sayings.filter((saying) => saying.about !== about));
}

/**
 * Where a part is put away in the closed dialog of a button: beside the dialog. To a reader nothing is there that is in it, and while it
 * is open nothing that is outside.
 */
export function besideOf({ parentElement }: Part): ShadowRoot | undefined {
  const root = parentElement instanceof HTMLDialogElement && !parentElement.open ? parentElement.getRootNode() : undefined;
  // A shop's own dialog is the shop's: nothing is put beside it.
  return root instanceof ShadowRoot && root.host.localName === 'crypto-checkout-button' ? root : undefined;
}

/** Has an element say a text in its language. */
export async function speakFor(part: Part, text: () => string, manner: Manner = {}): Promise<void> {
  const { language } = part;
  await loadLocale(language);
  const beside = besideOf(part);
  // On a page that shows nothing of it, who has put it away wants to know where the payment stands, and no more.
  if (beside && manner.about !== 'news') return;
  speak(beside ?? part.renderRoot, inLocale(language, text), { language, ...manner });
}
