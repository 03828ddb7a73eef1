// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { templates as ar_first } from './first/ar.ts';
import { templates as ar_later } from './later/ar.ts';
import { templates as bn_first } from './first/bn.ts';
import { templates as bn_later } from './later/bn.ts';
import { templates as cs_first } from './first/cs.ts';
import { templates as cs_later } from './later/cs.ts';
import { templates as da_first } from './first/da.ts';
import { templates as da_later } from './later/da.ts';
import { templates as de_first } from './first/de.ts';
import { templates as de_later } from './later/de.ts';
import { templates as el_first } from './first/el.ts';
import { templates as el_later } from './later/el.ts';
import { templates as es_first } from './first/es.ts';
import { templates as es_later } from './later/es.ts';
import { templates as fa_first } from './first/fa.ts';
import { templates as fa_later } from './later/fa.ts';
import { templates as fi_first } from './first/fi.ts';
import { templates as fi_later } from './later/fi.ts';
import { templates as fr_first } from './first/fr.ts';
import { templates as fr_later } from './later/fr.ts';
import { templates as he_first } from './first/he.ts';
import { templates as he_later } from './later/he.ts';
import { templates as hi_first } from './first/hi.ts';
import { templates as hi_later } from './later/hi.ts';
import { templates as hu_first } from './first/hu.ts';
import { templates as hu_later } from './later/hu.ts';
import { templates as id_first } from './first/id.ts';
import { templates as id_later } from './later/id.ts';
import { templates as it_first } from './first/it.ts';
import { templates as it_later } from './later/it.ts';
import { templates as ja_first } from './first/ja.ts';
import { templates as ja_later } from './later/ja.ts';
import { templates as ko_first } from './first/ko.ts';
import { templates as ko_later } from './later/ko.ts';
import { templates as nl_first } from './first/nl.ts';
import { templates as nl_later } from './later/nl.ts';
import { templates as pl_first } from './first/pl.ts';
import { templates as pl_later } from './later/pl.ts';
import { templates as pt_first } from './first/pt.ts';
import { templates as pt_later } from './later/pt.ts';
import { templates as ro_first } from './first/ro.ts';
import { templates as ro_later } from './later/ro.ts';
import { templates as ru_first } from './first/ru.ts';
import { templates as ru_later } from './later/ru.ts';
import { templates as sv_first } from './first/sv.ts';
import { templates as sv_later } from './later/sv.ts';
import { templates as th_first } from './first/th.ts';
import { templates as th_later } from './later/th.ts';
import { templates as tr_first } from './first/tr.ts';
import { templates as tr_later } from './later/tr.ts';
import { templates as uk_first } from './first/uk.ts';
import { templates as uk_later } from './later/uk.ts';
import { templates as ur_first } from './first/ur.ts';
import { templates as ur_later } from './later/ur.ts';
import { templates as vi_first } from './first/vi.ts';
import { templates as vi_later } from './later/vi.ts';
import { templates as zhHans_first } from './first/zh-Hans.ts';
import { templates as zhHans_later } from './later/zh-Hans.ts';
import { templates as zhHant_first } from './first/zh-Hant.ts';
import { templates as zhHant_later } from './later/zh-Hant.ts';

/** Every language with all its texts: for servers. */
export const every = {
  'ar': { ...ar_first, ...ar_later },
  'bn': { ...bn_first, ...bn_later },
  'cs': { ...cs_first, ...cs_later },
  'da': { ...da_first, ...da_later },
  'de': { ...de_first, ...de_later },
  'el': { ...el_first, ...el_later },
  'es': { ...es_first, ...es_later },
  'fa': { ...fa_first, ...fa_later },
  'fi': { ...fi_first, ...fi_later },
  'fr': { ...fr_first, ...fr_later },
  'he': { ...he_first, ...he_later },
  'hi': { ...hi_first, ...hi_later },
  'hu': { ...hu_first, ...hu_later },
  'id': { ...id_first, ...id_later },
  'it': { ...it_first, ...it_later },
  'ja': { ...ja_first, ...ja_later },
  'ko': { ...ko_first, ...ko_later },
  'nl': { ...nl_first, ...nl_later },
  'pl': { ...pl_first, ...pl_later },
  'pt': { ...pt_first, ...pt_later },
  'ro': { ...ro_first, ...ro_later },
  'ru': { ...ru_first, ...ru_later },
  'sv': { ...sv_first, ...sv_later },
  'th': { ...th_first, ...th_later },
  'tr': { ...tr_first, ...tr_later },
  'uk': { ...uk_first, ...uk_later },
  'ur': { ...ur_first, ...ur_later },
  'vi': { ...vi_first, ...vi_later },
  'zh-Hans': { ...zhHans_first, ...zhHans_later },
  'zh-Hant': { ...zhHant_first, ...zhHant_later },
};
