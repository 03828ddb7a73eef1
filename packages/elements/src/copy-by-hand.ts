import { msg } from './locale.ts';

/**
 * The way before there was a clipboard for scripts, as on a page without https: a selection in a field that nobody sees.
 * @returns what to say when it is not allowed either.
 */
export function copyByHand(text: string, root: ShadowRoot): string {
  const focused = root.activeElement as HTMLElement | null;
  const area = root.appendChild(document.createElement('textarea'));
  area.style.position = 'absolute';
  area.style.opacity = '0';
  area.value = text;
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  focused?.focus();
  return done ? '' : msg('Copying is not allowed here. Please select the text and copy it.', { id: 'copy.refused' });
}
