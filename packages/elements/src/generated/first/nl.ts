// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adres`,
  'amount': `Bedrag`,
  'copy': `Kopiëren`,
  'only': str`Stuur alleen ${0} via ${1}. Iets anders kan verloren gaan.`,
  'pay.network': str`via ${0}`,
  'pay.send': `Stuur precies`,
  'qr.bare': str`Deze code bevat alleen het adres. Stuur ${0} via ${1}.`,
  'qr.hide': `QR-code verbergen`,
  'qr.show': `QR-code tonen`,
  'request': `Lightning-betaalverzoek`,
  'tag': `Bestemmingstag`,
  'tag.hint': `Zonder deze tag kan je betaling niet aan je bestelling worden gekoppeld.`,
  'test': `Testnetwerk: deze munten hebben geen waarde.`,
  'wait.title': `Even geduld`,
  'wallet': `Wallet-app openen`,
};
