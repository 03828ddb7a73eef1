/** Choosing a coin; fetched while the first view is asked for. */
import { html, nothing } from 'lit';
import './coin-picker.ts';
import { later } from './later.ts';
import { type Drawn, type Panel, drawNote } from './panel.ts';
export { wordsOfChoice } from './coin-words.ts';

/** The coins to choose from, and the way back where there is one; above them what became of money that came too late. */
export function drawPicker(panel: Panel): Drawn {
  const { checkout, language, url, page, busy } = panel;
  const { stage, coins, payment } = checkout;
  const after = later();
  if (!coins.length) return after?.drawContact(panel) ?? nothing;
  const late = after?.warningOfLate(checkout, language);
  return html`${late ? html`${drawNote(late)}${after?.drawContact(panel)}` : nothing}<crypto-coin-picker
      part="picker"
      .coins=${coins}
      .kind=${payment?.kind ?? null}
      .action="${url}/payment"
      .busy=${busy}
    ></crypto-coin-picker
    >${stage === 'choose' ? nothing : after?.drawClose(page)}`;
}
