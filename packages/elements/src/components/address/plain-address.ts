import { type TemplateResult, html } from 'lit';
import { msg } from '../../i18n/locale.ts';

/** Draws the unconfidential Liquid address in a `<details>` element. */
export const drawPlainAddress = (
  draw: (label: string, hint: string) => TemplateResult,
  open: boolean,
): TemplateResult => {
  const label = msg('Plain address', { id: 'address.public' });
  return html`<details part="plain" ?open=${open}>
    <summary>${label}</summary>
    ${draw(label, msg('For exchanges that do not accept the confidential address.', { id: 'address.public.hint' }))}
  </details>`;
};
