// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Indirizzo`,
  'amount': `Importo`,
  'copy': `Copia`,
  'only': str`Invia solo ${0} su ${1}. Qualsiasi altra cosa può andare persa.`,
  'pay.network': str`su ${0}`,
  'pay.send': `Invia esattamente`,
  'qr.bare': str`Questo codice contiene solo l’indirizzo. Invia ${0} su ${1}.`,
  'qr.hide': `Nascondi codice QR`,
  'qr.show': `Mostra codice QR`,
  'request': `Richiesta di pagamento Lightning`,
  'tag': `Tag di destinazione`,
  'tag.hint': `Senza questo tag non è possibile abbinare il pagamento al tuo ordine.`,
  'test': `Rete di prova: queste criptovalute non hanno valore.`,
  'wait.title': `Attendi`,
  'wallet': `Apri l’app wallet`,
};
