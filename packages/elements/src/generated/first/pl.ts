// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adres`,
  'amount': `Kwota`,
  'copy': `Kopiuj`,
  'only': str`Wysyłaj tylko ${0} w sieci ${1}. Wszystko inne może przepaść.`,
  'pay.text': `Zeskanuj kod albo skopiuj dane i sprawdź kwotę.`,
  'pay.title': `Wyślij płatność`,
  'request': `Żądanie płatności Lightning`,
  'tag': `Tag docelowy`,
  'tag.hint': `Potrzebny, aby odnaleźć twoją płatność.`,
  'test': `Sieć testowa: te monety nie mają wartości.`,
  'time': `Pozostały czas`,
  'wait.title': `Proszę czekać`,
  'wallet': `Otwórz w portfelu`,
};
