// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `پتہ`,
  'amount': `رقم`,
  'copy': `کاپی کریں`,
  'only': str`صرف ⁨${1}⁩ پر ⁨${0}⁩ بھیجیں۔ کوئی اور چیز ضائع ہو سکتی ہے۔`,
  'pay.network': str`⁨${0}⁩ پر`,
  'pay.send': `بالکل اتنا بھیجیں`,
  'qr.bare': str`اس کوڈ میں صرف پتہ ہے۔ ⁨${1}⁩ پر ⁨${0}⁩ بھیجیں۔`,
  'qr.hide': `کیو آر کوڈ چھپائیں`,
  'qr.show': `کیو آر کوڈ دکھائیں`,
  'request': `لائٹننگ ادائیگی کی درخواست`,
  'tag': `منزل کا ٹیگ`,
  'tag.hint': `اس ٹیگ کے بغیر آپ کی ادائیگی آرڈر سے نہیں ملائی جا سکتی۔`,
  'test': `آزمائشی نیٹ ورک: ان سکوں کی کوئی قیمت نہیں۔`,
  'wait.title': `براہ کرم انتظار کریں`,
  'wallet': `والٹ ایپ کھولیں`,
};
