import { loadLocale } from '@crypto-checkout/elements/locale';
import { keepHistory } from './history.ts';
import { titleOf } from '../title.ts';

/** Updates the tab's title with the stage, for buyers who pay in another window. */
export function followTitle(): void {
  const element = document.querySelector('crypto-checkout');
  if (!element) return;
  const update = async (): Promise<void> => {
    await loadLocale(element.language);
    const { checkout, language } = element;
    const title = checkout && titleOf(checkout, language);
    if (title && title !== document.title) document.title = title;
  };
  element.addController({ hostUpdated: () => void update() });
  keepHistory(element);
}
