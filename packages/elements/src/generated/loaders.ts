// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import type { LocaleModule } from '@lit/localize';

type Loaders = Readonly<Record<string, () => Promise<LocaleModule>>>;

/** What choosing and paying need, by language. */
export const first: Loaders = {
  'ar': () => import('./first/ar.ts'),
  'de': () => import('./first/de.ts'),
};

/** The rest. */
export const later: Loaders = {
  'ar': () => import('./later/ar.ts'),
  'de': () => import('./later/de.ts'),
};
