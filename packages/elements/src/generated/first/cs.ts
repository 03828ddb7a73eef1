// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adresa`,
  'amount': `Částka`,
  'copy': `Kopírovat`,
  'only': str`Posílejte pouze ${0} v síti ${1}. Cokoli jiného se může ztratit.`,
  'pay.network': str`v síti ${0}`,
  'pay.send': `Pošlete přesně`,
  'qr.bare': str`Tento kód obsahuje jen adresu. Pošlete ${0} v síti ${1}.`,
  'qr.hide': `Skrýt QR kód`,
  'qr.show': `Zobrazit QR kód`,
  'request': `Platební požadavek Lightning`,
  'tag': `Cílový tag`,
  'tag.hint': `Bez tohoto tagu nelze platbu přiřadit k vaší objednávce.`,
  'test': `Testovací síť: tyto měny nemají žádnou hodnotu.`,
  'wait.title': `Čekejte prosím`,
  'wallet': `Otevřít peněženku`,
};
