// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Διεύθυνση`,
  'amount': `Ποσό`,
  'copy': `Αντιγραφή`,
  'only': str`Στείλτε μόνο ${0} στο δίκτυο ${1}. Οτιδήποτε άλλο μπορεί να χαθεί.`,
  'pay.text': `Σαρώστε τον κωδικό ή αντιγράψτε τα στοιχεία και ελέγξτε το ποσό.`,
  'pay.title': `Στείλτε την πληρωμή σας`,
  'request': `Αίτημα πληρωμής Lightning`,
  'tag': `Ετικέτα προορισμού`,
  'tag.hint': `Απαιτείται για να βρεθεί η πληρωμή σας.`,
  'test': `Δοκιμαστικό δίκτυο: αυτά τα νομίσματα δεν έχουν αξία.`,
  'time': `Χρόνος που απομένει`,
  'wait.title': `Παρακαλούμε περιμένετε`,
  'wallet': `Άνοιγμα στο πορτοφόλι`,
};
