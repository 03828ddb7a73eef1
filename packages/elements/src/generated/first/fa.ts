// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `نشانی`,
  'amount': `مبلغ`,
  'copy': `کپی`,
  'only': str`فقط ⁨${0}⁩ روی ⁨${1}⁩ بفرستید. هر چیز دیگری ممکن است از دست برود.`,
  'pay.network': str`روی ⁨${0}⁩`,
  'pay.send': `دقیقاً این مبلغ را بفرستید`,
  'qr.bare': str`این کد فقط نشانی را دارد. ⁨${0}⁩ را روی ⁨${1}⁩ بفرستید.`,
  'qr.hide': `پنهان کردن کد کیوآر`,
  'qr.show': `نمایش کد کیوآر`,
  'request': `درخواست پرداخت لایتنینگ`,
  'tag': `برچسب مقصد`,
  'tag.hint': `بدون این برچسب، پرداخت شما را نمی‌توان به سفارشتان مربوط کرد.`,
  'test': `شبکهٔ آزمایشی: این ارزها ارزشی ندارند.`,
  'wait.title': `لطفاً صبر کنید`,
  'wallet': `باز کردن کیف پول`,
};
