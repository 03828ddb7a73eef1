// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Osoite`,
  'amount': `Summa`,
  'copy': `Kopioi`,
  'only': str`Lähetä vain ${0} verkossa ${1}. Kaikki muu voi kadota.`,
  'pay.network': str`verkossa ${0}`,
  'pay.send': `Lähetä tasan`,
  'qr.bare': str`Tässä koodissa on vain osoite. Lähetä ${0} verkossa ${1}.`,
  'qr.hide': `Piilota QR-koodi`,
  'qr.show': `Näytä QR-koodi`,
  'request': `Lightning-maksupyyntö`,
  'tag': `Kohdetunniste (tag)`,
  'tag.hint': `Ilman tätä tunnistetta maksuasi ei voida yhdistää tilaukseesi.`,
  'test': `Testiverkko: näillä valuutoilla ei ole arvoa.`,
  'wait.title': `Odota hetki`,
  'wallet': `Avaa lompakkosovellus`,
};
