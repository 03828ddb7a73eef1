// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adres`,
  'amount': `Kwota`,
  'copy': `Kopiuj`,
  'only': str`Wysyłaj tylko ${0} w sieci ${1}. Wszystko inne może przepaść.`,
  'pay.network': str`w sieci ${0}`,
  'pay.send': `Wyślij dokładnie`,
  'pay.text': `Zeskanuj kod albo skopiuj dane i sprawdź kwotę.`,
  'pay.title': `Wyślij płatność`,
  'qr.bare': str`Ten kod zawiera tylko adres. Wyślij ${0} w sieci ${1}.`,
  'qr.show': `Pokaż kod QR`,
  'request': `Żądanie płatności Lightning`,
  'tag': `Tag docelowy`,
  'tag.hint': `Potrzebny, aby odnaleźć twoją płatność.`,
  'test': `Sieć testowa: te monety nie mają wartości.`,
  'time': `Pozostały czas`,
  'wait.title': `Proszę czekać`,
  'wallet': `Otwórz w portfelu`,
};
