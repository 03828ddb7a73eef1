// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Cím`,
  'amount': `Összeg`,
  'copy': `Másolás`,
  'only': str`Csak ezt küldje: ${0}, ezen a hálózaton: ${1}. Minden más elveszhet.`,
  'pay.network': str`ezen a hálózaton: ${0}`,
  'pay.send': `Küldjön pontosan`,
  'pay.text': `Olvassa be a kódot vagy másolja ki az adatokat, és ellenőrizze az összeget.`,
  'pay.title': `Küldje el a fizetést`,
  'qr.bare': str`Ez a kód csak a címet tartalmazza. Küldendő: ${0}, hálózat: ${1}.`,
  'qr.show': `QR-kód mutatása`,
  'request': `Lightning fizetési kérelem`,
  'tag': `Célcímke (tag)`,
  'tag.hint': `Szükséges ahhoz, hogy megtaláljuk a fizetését.`,
  'test': `Teszthálózat: ezeknek az érméknek nincs értékük.`,
  'time': `Hátralévő idő`,
  'wait.title': `Kérjük, várjon`,
  'wallet': `Megnyitás tárcában`,
};
