// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Adresse`,
  'amount': `Montant`,
  'copy': `Copier`,
  'only': str`Envoyez uniquement des ${0} sur ${1}. Tout autre envoi peut être perdu.`,
  'pay.network': str`sur ${0}`,
  'pay.send': `Envoyez exactement`,
  'qr.bare': str`Ce code ne contient que l’adresse. Envoyez ${0} sur ${1}.`,
  'qr.hide': `Masquer le code QR`,
  'qr.show': `Afficher le code QR`,
  'request': `Facture Lightning`,
  'tag': `Tag de destination`,
  'tag.hint': `Sans ce tag, votre paiement ne peut pas être associé à votre commande.`,
  'test': `Réseau de test : ces cryptos n’ont aucune valeur.`,
  'wait.title': `Veuillez patienter`,
  'wallet': `Ouvrir le portefeuille`,
};
