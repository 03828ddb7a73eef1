// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Indirizzo`,
  'amount': `Importo`,
  'copy': `Copia`,
  'only': str`Invia solo ${0} su ${1}. Qualsiasi altra cosa può andare persa.`,
  'pay.network': str`su ${0}`,
  'pay.send': `Invia esattamente`,
  'pay.text': `Scansiona il codice o copia i dati, e controlla l’importo.`,
  'pay.title': `Invia il pagamento`,
  'qr.bare': str`Questo codice contiene solo l’indirizzo. Invia ${0} su ${1}.`,
  'qr.show': `Mostra codice QR`,
  'request': `Richiesta di pagamento Lightning`,
  'tag': `Tag di destinazione`,
  'tag.hint': `Necessario per trovare il tuo pagamento.`,
  'test': `Rete di prova: queste monete non hanno valore.`,
  'time': `Tempo rimasto`,
  'wait.title': `Attendi`,
  'wallet': `Apri nel wallet`,
};
