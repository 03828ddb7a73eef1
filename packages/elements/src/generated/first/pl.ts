// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adres`,
  'amount': `Kwota`,
  'copy': `Kopiuj`,
  'only': str`Wysyłaj tylko ${0} w sieci ${1}. Wszystko inne może przepaść.`,
  'pay.network': str`w sieci ${0}`,
  'pay.send': `Wyślij dokładnie`,
  'qr.bare': str`Ten kod zawiera tylko adres. Wyślij ${0} w sieci ${1}.`,
  'qr.hide': `Ukryj kod QR`,
  'qr.show': `Pokaż kod QR`,
  'request': `Żądanie płatności Lightning`,
  'tag': `Tag docelowy`,
  'tag.hint': `Bez tego tagu nie można przypisać płatności do zamówienia.`,
  'test': `Sieć testowa: te kryptowaluty nie mają wartości.`,
  'wait.title': `Proszę czekać`,
  'wallet': `Otwórz portfel`,
};
