import { type TemplateResult, html, nothing } from 'lit';
import type { Drawn, Tone } from '../../core/panel.ts';
import { ALERT, INFO, icon } from '../../styles/icons.ts';

export const drawNote = (
  text: string | TemplateResult | false | null | undefined,
  tone: Tone = 'warn',
): Drawn =>
  text
    ? html`<p class="note row ${tone}" part="note">
        ${icon(tone === 'warn' || tone === 'bad' ? ALERT : INFO)}<span>${text}</span>
      </p>`
    : nothing;
