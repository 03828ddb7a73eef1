// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adress`,
  'amount': `Belopp`,
  'copy': `Kopiera`,
  'only': str`Skicka bara ${0} via ${1}. Allt annat kan gå förlorat.`,
  'pay.network': str`via ${0}`,
  'pay.send': `Skicka exakt`,
  'qr.bare': str`Koden innehåller bara adressen. Skicka ${0} via ${1}.`,
  'qr.hide': `Dölj QR-kod`,
  'qr.show': `Visa QR-kod`,
  'request': `Lightning-betalningsbegäran`,
  'tag': `Destinationstagg`,
  'tag.hint': `Utan den här taggen kan din betalning inte kopplas till din beställning.`,
  'test': `Testnätverk: de här valutorna har inget värde.`,
  'wait.title': `Vänta lite`,
  'wallet': `Öppna plånboksapp`,
};
