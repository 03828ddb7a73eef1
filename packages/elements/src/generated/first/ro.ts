// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adresă`,
  'amount': `Sumă`,
  'copy': `Copiați`,
  'only': str`Trimiteți doar ${0} pe ${1}. Orice altceva se poate pierde.`,
  'pay.network': str`pe ${0}`,
  'pay.send': `Trimiteți exact`,
  'qr.bare': str`Acest cod conține doar adresa. Trimiteți ${0} pe ${1}.`,
  'qr.hide': `Ascundeți codul QR`,
  'qr.show': `Afișați codul QR`,
  'request': `Cerere de plată Lightning`,
  'tag': `Tag de destinație`,
  'tag.hint': `Fără acest tag, plata nu poate fi asociată comenzii dvs.`,
  'test': `Rețea de test: aceste monede nu au valoare.`,
  'wait.title': `Vă rugăm să așteptați`,
  'wallet': `Deschideți portofelul`,
};
