// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Endereço`,
  'amount': `Valor`,
  'copy': `Copiar`,
  'only': str`Envie somente ${0} pela rede ${1}. Qualquer outra coisa pode se perder.`,
  'pay.network': str`pela rede ${0}`,
  'pay.send': `Envie exatamente`,
  'qr.bare': str`Este código contém só o endereço. Envie ${0} pela rede ${1}.`,
  'qr.hide': `Ocultar código QR`,
  'qr.show': `Mostrar código QR`,
  'request': `Fatura Lightning`,
  'tag': `Tag de destino`,
  'tag.hint': `Sem esta tag, não é possível associar seu pagamento ao pedido.`,
  'test': `Rede de teste: estas moedas não têm valor.`,
  'wait.title': `Aguarde`,
  'wallet': `Abrir a carteira`,
};
