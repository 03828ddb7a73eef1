import { type TemplateResult, html, nothing } from 'lit';
import { END } from './address.ts';
import { msg, str } from './locale.ts';
import { drawNote } from './panel.ts';

/** Programs that exchange addresses need a moment to notice one. */
const LOOK_MS = 700;

/**
 * Looks whether a copied text is still what lies on the clipboard, where this may be read without asking the buyer: nobody should be
 * asked for a permission that other pages could use as well.
 * @returns false only when something else lies there.
 */
export async function readBack(copied: string): Promise<boolean> {
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

/** Below what was copied: both ends of what is long, to compare after pasting; or that it was changed. */
export function drawCopied(copied: string, changed: boolean): TemplateResult | typeof nothing {
  if (changed) return html`${drawNote(changedText(), 'bad')}`;
  return copied.length > 2 * END
    ? html`<small part="hint"
        >${msg(str`It begins with ${copied.slice(0, END)} and ends with ${copied.slice(-END)}. Compare after pasting.`, {
          id: 'address.compare',
        })}</small
      >`
    : nothing;
}

export const changedText = (): string =>
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
