import { CLOCK } from '../../styles/icons.ts';
import { statusModule, picker } from '../../core/lazy-registry.ts';
import type { StageTexts } from '../../core/panel.ts';
import { msg } from '../../i18n/locale.ts';

/**
 * Texts of a stage. Unknown stages, and those whose texts are not loaded yet, get "please wait".
 */
export function stageTexts(stage: string): StageTexts {
  // The amount follows the heading.
  if (stage === 'send') return { title: msg('Send exactly', { id: 'pay.send' }), text: '' };
  const known = stage === 'choose' ? picker()?.chooseTexts() : statusModule()?.statusTexts(stage);
  return known ?? { title: msg('Please wait', { id: 'wait.title' }), text: '', picture: CLOCK };
}
