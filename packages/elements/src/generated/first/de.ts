// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adresse`,
  'amount': `Betrag`,
  'copy': `Kopieren`,
  'only': str`Sende nur ${0} über ${1}. Alles andere kann verloren gehen.`,
  'pay.network': str`über ${0}`,
  'pay.send': `Sende genau`,
  'qr.bare': str`Dieser Code enthält nur die Adresse. Sende ${0} über ${1}.`,
  'qr.hide': `QR-Code ausblenden`,
  'qr.show': `QR-Code anzeigen`,
  'request': `Lightning-Zahlungsanforderung`,
  'tag': `Destination Tag`,
  'tag.hint': `Ohne dieses Tag kann deine Zahlung der Bestellung nicht zugeordnet werden.`,
  'test': `Testnetzwerk: Diese Coins haben keinen Wert.`,
  'wait.title': `Bitte warten`,
  'wallet': `Wallet-App öffnen`,
};
