// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `地址`,
  'amount': `金額`,
  'copy': `複製`,
  'only': str`只能透過 ${1} 傳送 ${0}，其他幣種可能會遺失。`,
  'pay.network': str`透過 ${0}`,
  'pay.send': `請準確傳送`,
  'qr.bare': str`此 QR 碼僅包含地址。請透過 ${1} 傳送 ${0}。`,
  'qr.hide': `隱藏 QR 碼`,
  'qr.show': `顯示 QR 碼`,
  'request': `閃電網路付款請求`,
  'tag': `目的地標籤`,
  'tag.hint': `沒有此標籤，您的付款無法與訂單配對。`,
  'test': `測試網路：這些幣沒有價值。`,
  'wait.title': `請稍候`,
  'wallet': `開啟錢包應用程式`,
};
