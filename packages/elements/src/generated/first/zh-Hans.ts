// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `地址`,
  'amount': `金额`,
  'copy': `复制`,
  'only': str`只能通过 ${1} 发送 ${0}，其他币种可能会丢失。`,
  'pay.network': str`通过 ${0}`,
  'pay.send': `请准确发送`,
  'qr.bare': str`此二维码仅包含地址。请通过 ${1} 发送 ${0}。`,
  'qr.hide': `隐藏二维码`,
  'qr.show': `显示二维码`,
  'request': `闪电网络付款请求`,
  'tag': `目标标签`,
  'tag.hint': `没有此标签，您的付款无法与订单匹配。`,
  'test': `测试网络：这些币没有价值。`,
  'wait.title': `请稍候`,
  'wallet': `打开钱包应用`,
};
