// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { templates as ar_first } from './first/ar.ts';
import { templates as ar_later } from './later/ar.ts';
import { templates as de_first } from './first/de.ts';
import { templates as de_later } from './later/de.ts';

/** Every language with all its texts: for servers. */
export const every = {
  'ar': { ...ar_first, ...ar_later },
  'de': { ...de_first, ...de_later },
};
