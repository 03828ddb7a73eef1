import { CLOCK } from './icon.ts';
import { later, picker } from './later.ts';
import { msg } from './locale.ts';

/** How a stage is told: in a heading, and a sentence on what to do next. */
export interface Words {
  title: string;
  text: string;
  tone?: 'good' | 'warn' | 'bad';
  /** Where nothing else is shown. */
  picture?: string;
}

/** The words for a stage; one that is not known, or not yet fetched, is no error. */
export function wordsOf(stage: string): Words {
  if (stage === 'pay')
    return {
      title: msg('Send your payment', { id: 'pay.title' }),
      text: msg('Scan the code or copy the details, and check the amount.', { id: 'pay.text' }),
    };
  const known = stage === 'choose' ? picker()?.wordsOfChoice() : later()?.wordsAfter(stage);
  return known ?? { title: msg('Please wait', { id: 'wait.title' }), text: '', picture: CLOCK };
}
