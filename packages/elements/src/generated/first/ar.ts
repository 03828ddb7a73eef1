// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `العنوان`,
  'amount': `المبلغ`,
  'copy': `نسخ`,
  'only': str`أرسل ⁨${0}⁩ عبر ⁨${1}⁩ فقط. أي شيء آخر قد يضيع.`,
  'pay.network': str`عبر ⁨${0}⁩`,
  'pay.send': `أرسل بالضبط`,
  'qr.bare': str`يحتوي هذا الرمز على العنوان فقط. أرسل ⁨${0}⁩ عبر ⁨${1}⁩.`,
  'qr.hide': `إخفاء رمز الاستجابة السريعة`,
  'qr.show': `عرض رمز الاستجابة السريعة`,
  'request': `طلب دفع عبر لايتنينغ`,
  'tag': `وسم الوجهة`,
  'tag.hint': `بدون هذا الوسم لا يمكن ربط دفعتك بطلبك.`,
  'test': `شبكة اختبار: هذه العملات لا قيمة لها.`,
  'wait.title': `يُرجى الانتظار`,
  'wallet': `فتح تطبيق المحفظة`,
};
