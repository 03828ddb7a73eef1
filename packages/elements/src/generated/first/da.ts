// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adresse`,
  'amount': `Beløb`,
  'copy': `Kopiér`,
  'only': str`Send kun ${0} via ${1}. Alt andet kan gå tabt.`,
  'pay.network': str`via ${0}`,
  'pay.send': `Send præcis`,
  'qr.bare': str`Denne kode indeholder kun adressen. Send ${0} via ${1}.`,
  'qr.hide': `Skjul QR-kode`,
  'qr.show': `Vis QR-kode`,
  'request': `Lightning-betalingsanmodning`,
  'tag': `Destinationstag`,
  'tag.hint': `Uden dette tag kan din betaling ikke knyttes til din ordre.`,
  'test': `Testnetværk: Disse valutaer har ingen værdi.`,
  'wait.title': `Vent venligst`,
  'wallet': `Åbn wallet-app`,
};
