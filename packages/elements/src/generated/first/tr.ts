// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adres`,
  'amount': `Tutar`,
  'copy': `Kopyala`,
  'only': str`Yalnızca ${1} ağında ${0} gönderin. Başka her şey kaybolabilir.`,
  'pay.network': str`${0} ağında`,
  'pay.send': `Gönderilecek tam tutar`,
  'qr.bare': str`Bu kodda yalnızca adres var. ${1} ağında ${0} gönderin.`,
  'qr.hide': `QR kodunu gizle`,
  'qr.show': `QR kodunu göster`,
  'request': `Lightning ödeme isteği`,
  'tag': `Hedef etiketi`,
  'tag.hint': `Bu etiket olmadan ödemeniz siparişinizle eşleştirilemez.`,
  'test': `Test ağı: Bu kripto paraların değeri yoktur.`,
  'wait.title': `Lütfen bekleyin`,
  'wallet': `Cüzdanı aç`,
};
