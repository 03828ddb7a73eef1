import { type TemplateResult, html, nothing } from 'lit';
import { END } from '../address/address.ts';
import type { CopyElement } from './copy-element.ts';
import { copyFallback } from './copy-fallback.ts';
import { loadStatus } from '../../core/lazy-registry.ts';
import { inLocale, loadLocale, msg, str } from '../../i18n/locale.ts';
import type { Copied } from '../../core/contracts.ts';
import { drawNote } from '../checkout/note.ts';

/** Programs that replace copied addresses take a moment. */
const LOOK_MS = 700;

/** Time to read the longest sentence. */
const FEEDBACK_MS = 6000;

let check = new AbortController();

/** Ends the check of the clipboard: the page or the buyer has copied something else. */
export function endClipboardCheck(): void {
  check.abort();
  check = new AbortController();
}

/**
 * Shows and announces the result of a copy, uses the fallback if necessary, and warns if the
 * clipboard then holds another text.
 */
export async function showCopyFeedback(
  element: CopyElement,
  label: string,
  done: boolean,
  copied: Copied,
  isLast: () => boolean,
): Promise<void> {
  const { value } = copied;
  endClipboardCheck();
  const { signal } = check;
  await loadLocale(element.language);
  const refused = done
    ? ''
    : inLocale(element.language, () => copyFallback(value, element.renderRoot as ShadowRoot));
  if (refused) return element.say(() => refused);
  copied.text = inLocale(element.language, () => msg('Copied', { id: 'copied' }));
  // The feedback disappears with its value, because it would seem to be about the next one.
  const show = (changed: boolean): void => {
    copied.draw = () => {
      if (isShown(value, element))
        return changed ? drawNote(changedText(), 'bad') : copied.text ? drawEnds(value) : nothing;
      copied.text = '';
      delete copied.draw;
      return nothing;
    };
    element.requestUpdate();
  };
  (await loadStatus())?.addStatusStyles(element);
  show(false);
  element.say((status) => status.copied(label, value));
  setTimeout(() => {
    copied.text = '';
    element.requestUpdate();
  }, FEEDBACK_MS);
  if ((await readBack(value, signal)) || !isLast() || !copied.draw) return;
  copied.text = '';
  show(true);
  element.say(changedText);
}

/** Whether the element still shows the copied value. */
const isShown = (value: string, element: CopyElement): boolean =>
  [...(element.constructor as typeof CopyElement).elementProperties.keys()].some(
    (name) => element[name as keyof CopyElement] === value,
  );

/**
 * Compares the clipboard with the copied text, only if the permission was granted before: other
 * pages could misuse a permission that we ask for.
 * @param signal - Ends the check, which then finds nothing.
 * @returns false only if the clipboard holds another text
 */
async function readBack(copied: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { state } = await navigator.permissions.query({
      name: 'clipboard-read' as PermissionName,
    });
    if (state !== 'granted') return true;
    endOnOwnCopy(signal);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    return signal.aborted || (await navigator.clipboard.readText()) === copied || signal.aborted;
  } catch {
    // The permission does not exist in this browser, or the page is in the background.
    return true;
  }
}

/**
 * The buyer may select and copy another text, which begins with a key or a press. A script can
 * cause the event, but ends the check only together with a press of the buyer, not with a held key.
 */
function endOnOwnCopy(signal: AbortSignal): void {
  let hasActed = false;
  const listen = (types: readonly string[], listener: (event: Event) => void): void => {
    for (const type of types) addEventListener(type, listener, { capture: true, signal });
  };
  listen(['keydown', 'pointerdown'], (event) => {
    hasActed ||= event.isTrusted && !(event as Partial<KeyboardEvent>).repeat;
  });
  listen(['copy', 'cut'], () => hasActed && endClipboardCheck());
}

/** Draws both ends of a long value to compare. Bold in the value, they stay on the screen. */
const drawEnds = (copied: string): TemplateResult | typeof nothing =>
  copied.length > 2 * END
    ? html`<div class="toast">
        <small part="hint"
          >${msg(
            str`It begins with ${copied.slice(0, END)} and ends with ${copied.slice(-END)}. Compare after pasting.`,
            {
              id: 'address.compare',
            },
          )}</small
        >
      </div>`
    : nothing;

const changedText = (): string =>
  msg('Your clipboard doesn’t match what you copied. Malware may be changing it. Don’t paste.', {
    id: 'copy.changed',
  });
