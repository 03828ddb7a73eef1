// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `כתובת`,
  'amount': `סכום`,
  'copy': `העתקה`,
  'only': str`יש לשלוח רק ⁨${0}⁩ ברשת ⁨${1}⁩. כל דבר אחר עלול ללכת לאיבוד.`,
  'pay.network': str`ברשת ⁨${0}⁩`,
  'pay.send': `לשלוח בדיוק`,
  'qr.bare': str`הקוד מכיל רק את הכתובת. יש לשלוח ⁨${0}⁩ ברשת ⁨${1}⁩.`,
  'qr.hide': `הסתרת קוד QR`,
  'qr.show': `הצגת קוד QR`,
  'request': `בקשת תשלום לייטנינג`,
  'tag': `תג יעד`,
  'tag.hint': `בלי התג הזה אי אפשר לשייך את התשלום להזמנה שלך.`,
  'test': `רשת בדיקה: למטבעות האלה אין ערך.`,
  'wait.title': `נא להמתין`,
  'wallet': `פתיחת אפליקציית ארנק`,
};
