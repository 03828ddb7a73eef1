// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Адрес`,
  'amount': `Сумма`,
  'copy': `Копировать`,
  'only': str`Отправляйте только ${0} в сети ${1}. Всё остальное может быть потеряно.`,
  'pay.network': str`в сети ${0}`,
  'pay.send': `Отправьте ровно`,
  'qr.bare': str`В этом коде только адрес. Отправьте ${0} в сети ${1}.`,
  'qr.hide': `Скрыть QR-код`,
  'qr.show': `Показать QR-код`,
  'request': `Счёт Lightning`,
  'tag': `Тег назначения`,
  'tag.hint': `Без этого тега платёж нельзя связать с вашим заказом.`,
  'test': `Тестовая сеть: эта криптовалюта ничего не стоит.`,
  'wait.title': `Подождите`,
  'wallet': `Открыть кошелёк`,
};
