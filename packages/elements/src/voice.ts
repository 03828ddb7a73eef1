import { inLocale, loadLocale } from './locale.ts';
import type { Part } from './part.ts';

/** Between making a live region and filling it: one that is born with its text is not read. */
const VOICE_MS = 100;
/** After which nobody is reading it any more. */
const SILENT_MS = 10_000;

/** What waits to be said: texts that come at the same moment are said one after the other. */
const waiting = new WeakMap<Node, string[]>();

/** The one live region of an element that stands alone. */
export function voiceOf(root: DocumentFragment | HTMLElement): HTMLElement {
  const made = [...root.children].find((child) => child.hasAttribute('aria-live'));
  if (made) return made as HTMLElement;
  const voice = document.createElement('span');
  // What `role=status` says, without the role: a reader who comes to the end of the page would meet an empty status bar.
  for (const [name, value] of Object.entries({ 'aria-live': 'polite', 'aria-atomic': 'true' })) voice.setAttribute(name, value);
  Object.assign(voice.style, { position: 'absolute', opacity: '0' });
  root.append(voice);
  return voice;
}

/** Has a text read by a screen reader, politely; who looks around later finds only what is on the screen. */
export function speak(root: DocumentFragment | HTMLElement, text: string): void {
  if (!text) return;
  const voice = voiceOf(root);
  const texts = waiting.get(voice);
  if (texts) return void texts.push(text);
  waiting.set(voice, [text]);
  setTimeout(() => {
    const all = [...new Set(waiting.get(voice))].join(' ');
    waiting.delete(voice);
    // The same words again are only read when the text changes.
    const said = (voice.textContent = voice.textContent === all ? `${all}\u00a0` : all);
    setTimeout(() => {
      if (voice.textContent === said) voice.textContent = '';
    }, SILENT_MS);
  }, VOICE_MS);
}

/** Has an element say a text in its language. */
export async function speakFor(part: Part, text: () => string): Promise<void> {
  await loadLocale(part.language);
  speak(part.renderRoot, inLocale(part.language, text));
}
