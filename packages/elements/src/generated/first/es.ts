// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Dirección`,
  'amount': `Importe`,
  'copy': `Copiar`,
  'only': str`Envía solo ${0} por la red ${1}. Cualquier otra cosa puede perderse.`,
  'pay.network': str`por ${0}`,
  'pay.send': `Envía exactamente`,
  'qr.bare': str`Este código solo contiene la dirección. Envía ${0} por la red ${1}.`,
  'qr.hide': `Ocultar código QR`,
  'qr.show': `Mostrar código QR`,
  'request': `Factura Lightning`,
  'tag': `Etiqueta de destino`,
  'tag.hint': `Sin esta etiqueta no se puede asociar tu pago a tu pedido.`,
  'test': `Red de pruebas: estas monedas no tienen valor.`,
  'wait.title': `Espera un momento`,
  'wallet': `Abrir billetera`,
};
