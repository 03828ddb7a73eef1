// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adresse`,
  'amount': `Betrag`,
  'copy': `Kopieren`,
  'only': str`Sende nur ${0} über ${1}. Alles andere kann verloren gehen.`,
  'pay.text': `Scanne den Code oder kopiere die Angaben, und prüfe den Betrag.`,
  'pay.title': `Jetzt bezahlen`,
  'request': `Lightning-Zahlungsanforderung`,
  'tag': `Ziel-Tag (Destination Tag)`,
  'tag.hint': `Erforderlich, damit deine Zahlung gefunden wird.`,
  'test': `Testnetzwerk: Diese Coins haben keinen Wert.`,
  'time': `Verbleibende Zeit`,
  'wait.title': `Bitte warten`,
  'wallet': `In Wallet öffnen`,
};
