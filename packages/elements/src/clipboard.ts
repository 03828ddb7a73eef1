import { type TemplateResult, html, nothing } from 'lit';
import { END } from './address.ts';
import type { CryptoAmount } from './amount.ts';
import type { Copied, CopyPart } from './copy.ts';
import { copyByHand } from './copy-by-hand.ts';
import { inLocale, loadLocale, msg, str } from './locale.ts';
import { formatCoins } from './number.ts';
import { drawNote } from './panel.ts';

/** Programs that exchange addresses need a moment to notice one. */
const LOOK_MS = 700;

const FEEDBACK_MS = 4000;

/**
 * After a click on a copy button: copies by hand where it must, shows and says that it was done, and that something else lies on the
 * clipboard, should it be so.
 */
export async function lookAfter(part: CopyPart, label: string, done: boolean, copied: Copied, isLast: () => boolean): Promise<void> {
  const { value } = copied;
  await loadLocale(part.language);
  const refused = done ? '' : inLocale(part.language, () => copyByHand(value, part.renderRoot as ShadowRoot));
  if (refused) return part.say(() => refused);
  copied.said = inLocale(part.language, () => msg('Copied', { id: 'copied' }));
  // What is told of a value goes when it goes: below another one it would be taken for that one's.
  const tell = (changed: boolean): void => {
    copied.draw = () => {
      if (isShown(value, part)) return drawCopied(value, changed);
      copied.said = '';
      delete copied.draw;
      return nothing;
    };
    part.requestUpdate();
  };
  tell(false);
  part.say((after) => after.copied(label, value));
  setTimeout(() => {
    copied.said = '';
    part.requestUpdate();
  }, FEEDBACK_MS);
  if ((await readBack(value)) || !isLast() || !copied.draw) return;
  copied.said = '';
  tell(true);
  part.say(changedText);
}

/** Whether it is one of the texts that a part gives to copy. */
const isShown = (value: string, part: CopyPart): boolean =>
  [...(part.constructor as typeof CopyPart).elementProperties.keys()].some((name) => part[name as keyof CopyPart] === value);

/** An amount that is selected by hand is copied as the button copies it: a wallet takes a comma for nothing, or for a thousand. */
export function copyExactly(event: ClipboardEvent): void {
  const part = event.composedPath().find((one): one is CryptoAmount => one instanceof Element && one.localName === 'crypto-amount');
  if (!part?.amount) return;
  const shown = formatCoins(part.amount, part.language);
  // Some browsers do not tell what is selected inside an element.
  const root = part.renderRoot as ShadowRoot & { getSelection?(): Selection | null };
  const selected = String(root.getSelection?.() ?? document.getSelection()).trim() || shown;
  // More than the amount and its coin, or something else: copied as it is.
  const separator = shown[part.amount.indexOf('.')] ?? '.';
  if (separator === '.' || !`${shown} ${part.symbol}`.includes(selected)) return;
  event.preventDefault();
  event.clipboardData?.setData('text/plain', selected.replace(separator, '.'));
}

/**
 * Looks whether a copied text is still what lies on the clipboard, where this may be read without asking the buyer: nobody should be
 * asked for a permission that other pages could use as well.
 * @returns false only when something else lies there.
 */
async function readBack(copied: string): Promise<boolean> {
  try {
    const { state } = await navigator.permissions.query({ name: 'clipboard-read' as PermissionName });
    if (state !== 'granted') return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    return (await navigator.clipboard.readText()) === copied;
  } catch {
    // No such permission here, or the page is in the background.
    return true;
  }
}

/** Below the fields: both ends of what is long, to compare after pasting; or that it was changed. */
function drawCopied(copied: string, changed: boolean): TemplateResult | typeof nothing {
  if (changed) return html`${drawNote(changedText(), 'bad')}`;
  return copied.length > 2 * END
    ? html`<small part="hint"
        >${msg(str`It begins with ${copied.slice(0, END)} and ends with ${copied.slice(-END)}. Compare after pasting.`, {
          id: 'address.compare',
        })}</small
      >`
    : nothing;
}

const changedText = (): string =>
  msg('Not what was copied is on the clipboard. A program on this device may be changing addresses. Please check it before you pay.', {
    id: 'copy.changed',
  });

/** The fold with the plain address of a confidential one. */
export const drawPlain = (draw: (label: string, hint: string) => TemplateResult, open: boolean): TemplateResult => {
  const label = msg('Plain address', { id: 'address.public' });
  return html`<details part="plain" ?open=${open}>
    <summary>${label}</summary>
    ${draw(label, msg('For exchanges that do not accept the confidential address.', { id: 'address.public.hint' }))}
  </details>`;
};
