/** Choosing a coin, and the clock of a payment; loaded together with the first view. */
import { html, nothing } from 'lit';
import '../components/coin-picker/coin-picker.ts';
import '../components/countdown/countdown.ts';
import { statusModule } from '../core/lazy-registry.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { msg } from '../i18n/locale.ts';
import { drawNote } from '../components/checkout/note.ts';
export { chooseTexts } from '../components/coin-picker/coin-texts.ts';

/** Draws the coins, the link back, and a warning about late payments. */
export function drawPicker(panel: Panel): Drawn {
  const { checkout, language, url, page, busy } = panel;
  const { stage, coins, payment } = checkout;
  const status = statusModule();
  if (!coins.length) return status?.drawContact(panel) ?? nothing;
  const trouble = status?.troubleIn(checkout);
  const late = trouble?.lateWarning(checkout, language);
  return html`${late ? html`${drawNote(late)}${status?.drawContact(panel)}` : nothing}${trouble?.drawRecipientHint(checkout)}<crypto-coin-picker
      class=${payment ? 'given' : ''}
      part="picker"
      .coins=${coins}
      .kind=${payment?.kind ?? null}
      .action="${url}/payment"
      .busy=${busy}
    ></crypto-coin-picker
    >${stage === 'choose' ? nothing : status?.drawCloseLink(page, msg('Back', { id: 'picker.back' }))}`;
}
