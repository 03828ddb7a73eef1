// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Cím`,
  'amount': `Összeg`,
  'copy': `Másolás`,
  'only': str`Csak ezt küldje: ${0}, ezen a hálózaton: ${1}. Minden más elveszhet.`,
  'pay.network': str`ezen a hálózaton: ${0}`,
  'pay.send': `Pontosan ennyit küldjön`,
  'qr.bare': str`Ez a kód csak a címet tartalmazza. Küldendő: ${0}, hálózat: ${1}.`,
  'qr.hide': `QR-kód elrejtése`,
  'qr.show': `QR-kód megjelenítése`,
  'request': `Lightning fizetési kérelem`,
  'tag': `Célcímke`,
  'tag.hint': `E címke nélkül a fizetése nem rendelhető hozzá a rendeléséhez.`,
  'test': `Teszthálózat: ezeknek a kriptovalutáknak nincs értékük.`,
  'wait.title': `Kérjük, várjon`,
  'wallet': `Tárcaalkalmazás megnyitása`,
};
