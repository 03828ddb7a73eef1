import { msg } from '../../i18n/locale.ts';

/**
 * Copies with `execCommand`, for pages without the clipboard API (no https).
 * @returns an error text, or empty if it succeeded
 */
export function copyFallback(text: string, root: ShadowRoot): string {
  const focused = root.activeElement as HTMLElement | null;
  const area = root.appendChild(document.createElement('textarea'));
  area.style.position = 'absolute';
  area.style.opacity = '0';
  area.value = text;
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  focused?.focus();
  return done
    ? ''
    : msg('Copying is not allowed here. Please select the text and copy it.', {
        id: 'copy.refused',
      });
}
