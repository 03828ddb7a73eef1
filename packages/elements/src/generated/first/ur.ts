// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `پتہ`,
  'amount': `رقم`,
  'copy': `کاپی کریں`,
  'only': str`صرف ⁨${1}⁩ پر ⁨${0}⁩ بھیجیں۔ کوئی اور چیز ضائع ہو سکتی ہے۔`,
  'pay.network': str`⁨${0}⁩ پر`,
  'pay.send': `بالکل اتنا بھیجیں`,
  'pay.text': `کوڈ اسکین کریں یا تفصیلات کاپی کریں، اور رقم جانچ لیں۔`,
  'pay.title': `اپنی ادائیگی بھیجیں`,
  'qr.bare': str`اس کوڈ میں صرف پتہ ہے۔ ⁨${1}⁩ پر ⁨${0}⁩ بھیجیں۔`,
  'qr.show': `QR کوڈ دکھائیں`,
  'request': `لائٹننگ ادائیگی کی درخواست`,
  'tag': `منزل کا ٹیگ`,
  'tag.hint': `آپ کی ادائیگی تلاش کرنے کے لیے ضروری ہے۔`,
  'test': `آزمائشی نیٹ ورک: ان سکوں کی کوئی قیمت نہیں۔`,
  'time': `باقی وقت`,
  'wait.title': `براہ کرم انتظار کریں`,
  'wallet': `والٹ میں کھولیں`,
};
