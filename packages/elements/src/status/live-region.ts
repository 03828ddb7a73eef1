import { sentences } from '../i18n/sentences.ts';
import { sourceLocale } from '../generated/locale-codes.ts';
import { inLocale, loadLocale } from '../i18n/locale.ts';
import type { SpeakingElement } from '../core/contracts.ts';

/** Delay before a new live region is filled: screen readers ignore initial content. */
const FILL_MS = 100;
/** Delay before the region is cleared. */
const CLEAR_MS = 10_000;

/**
 * Topics of which only the newest announcement counts: the payment's state, and the return to the
 * shop.
 */
export type SpeechTopic = 'news' | 'leaving';

export interface SpeechOptions {
  /** Replaces pending announcements of the same topic. */
  about?: SpeechTopic;
  /** Language for joining simultaneous announcements. */
  language?: string;
  onSpoken?: () => void;
}

type Announcement = SpeechOptions & { text: string };
type Root = DocumentFragment | HTMLElement;

/** Pending announcements; simultaneous ones are joined. */
const pending = new WeakMap<Node, Announcement[]>();
/** Announcements that the live region contains. */
const spoken = new WeakMap<Node, Announcement[]>();

/** Returns the live region of a root; creates it if necessary. */
export function liveRegionOf(root: Root): HTMLElement {
  const made = [...root.children].find((child) => child.hasAttribute('aria-live'));
  if (made) return made as HTMLElement;
  const region = document.createElement('span');
  // Same as `role=status`, but without an empty status bar for readers who browse to the end of the
  // page.
  for (const [name, value] of Object.entries({ 'aria-live': 'polite', 'aria-atomic': 'true' }))
    region.setAttribute(name, value);
  // The text takes no room and does not scroll.
  const small = { inlineSize: '1px', blockSize: '1px', overflow: 'hidden', whiteSpace: 'nowrap' };
  Object.assign(region.style, { position: 'absolute', opacity: '0', ...small });
  root.append(region);
  return region;
}

/** Announces a text politely. It is cleared later, so that readers find only visible content. */
export function speak(root: Root, text: string, manner: SpeechOptions = {}): void {
  const region = liveRegionOf(root);
  if (manner.about) forget(region, manner.about);
  if (!text) return manner.onSpoken?.();
  const announcement = { ...manner, text };
  const queued = pending.get(region);
  if (queued) return void queued.push(announcement);
  pending.set(region, [announcement]);
  setTimeout(() => fill(region), FILL_MS);
}

function fill(region: HTMLElement): void {
  const announcements = pending.get(region) ?? [];
  pending.delete(region);
  // All pending announcements were cancelled.
  if (!announcements.length) return;
  const all = join(announcements);
  // Repeated text is announced only if the content changes.
  const text = (region.textContent = region.textContent === all ? `${all}\u00a0` : all);
  spoken.set(region, announcements);
  for (const { onSpoken } of announcements) onSpoken?.();
  setTimeout(() => {
    if (region.textContent === text) region.textContent = '';
  }, CLEAR_MS);
}

function join(announcements: readonly Announcement[]): string {
  const [first, ...more] = new Set(announcements.map(({ text }) => text));
  return more.length
    ? inLocale(announcements[0]!.language ?? sourceLocale, () => sentences(first, ...more))
    : first!;
}

/** Cancels the announcements of a topic, pending and current. */
export function cancelSpeech(root: Root, about: SpeechTopic): void {
  const region = liveRegionOf(root);
  forget(region, about);
  // Clears all of it, because a shorter text would be announced again.
  if (spoken.get(region)?.some((announcement) => announcement.about === about))
    region.textContent = '';
}

function forget(region: Node, about: SpeechTopic): void {
  const announcements = pending.get(region);
  announcements?.splice(
    0,
    announcements.length,
    ...announcements.filter((announcement) => announcement.about !== about),
  );
}

/**
 * The shadow root around the closed dialog of a button, if the element is in one. Screen readers
 * ignore the content of a closed dialog, and everything outside of an open one.
 */
export function dialogRootOf({ parentElement }: SpeakingElement): ShadowRoot | undefined {
  const root =
    parentElement instanceof HTMLDialogElement && !parentElement.open
      ? parentElement.getRootNode()
      : undefined;
  // A shop's own dialog is left alone.
  return root instanceof ShadowRoot && root.host.localName === 'crypto-checkout-button'
    ? root
    : undefined;
}

/** Announces a text in the element's language. */
export async function speakIn(
  element: SpeakingElement,
  text: () => string,
  manner: SpeechOptions = {},
): Promise<void> {
  const { language } = element;
  await loadLocale(language);
  const beside = dialogRootOf(element);
  // In a closed dialog, only the payment's state is announced.
  if (beside && manner.about !== 'news') return;
  speak(beside ?? element.renderRoot, inLocale(language, text), { language, ...manner });
}
