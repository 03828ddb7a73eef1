// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Διεύθυνση`,
  'amount': `Ποσό`,
  'copy': `Αντιγραφή`,
  'only': str`Στείλτε μόνο ${0} στο δίκτυο ${1}. Οτιδήποτε άλλο μπορεί να χαθεί.`,
  'pay.network': str`στο δίκτυο ${0}`,
  'pay.send': `Στείλτε ακριβώς`,
  'qr.bare': str`Ο κωδικός περιέχει μόνο τη διεύθυνση. Στείλτε ${0} στο δίκτυο ${1}.`,
  'qr.hide': `Απόκρυψη κωδικού QR`,
  'qr.show': `Εμφάνιση κωδικού QR`,
  'request': `Αίτημα πληρωμής Lightning`,
  'tag': `Ετικέτα προορισμού`,
  'tag.hint': `Χωρίς αυτή την ετικέτα η πληρωμή δεν μπορεί να συνδεθεί με την παραγγελία σας.`,
  'test': `Δοκιμαστικό δίκτυο: αυτά τα νομίσματα δεν έχουν αξία.`,
  'wait.title': `Παρακαλούμε περιμένετε`,
  'wallet': `Άνοιγμα πορτοφολιού`,
};
