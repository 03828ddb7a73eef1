// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Адреса`,
  'amount': `Сума`,
  'copy': `Копіювати`,
  'only': str`Надсилайте лише ${0} у мережі ${1}. Усе інше може бути втрачено.`,
  'pay.network': str`у мережі ${0}`,
  'pay.send': `Надішліть рівно`,
  'qr.bare': str`У цьому коді лише адреса. Надішліть ${0} у мережі ${1}.`,
  'qr.hide': `Сховати QR-код`,
  'qr.show': `Показати QR-код`,
  'request': `Рахунок Lightning`,
  'tag': `Тег призначення`,
  'tag.hint': `Без цього тегу платіж не можна пов’язати з вашим замовленням.`,
  'test': `Тестова мережа: ця криптовалюта нічого не варта.`,
  'wait.title': `Зачекайте`,
  'wallet': `Відкрити гаманець`,
};
