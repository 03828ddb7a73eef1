// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `地址`,
  'amount': `金额`,
  'copy': `复制`,
  'only': str`只能通过 ${1} 发送 ${0}。发送其他币种可能会丢失。`,
  'pay.network': str`通过 ${0}`,
  'pay.send': `请准确发送`,
  'pay.text': `请扫描二维码或复制付款信息，并核对金额。`,
  'pay.title': `请发送付款`,
  'qr.bare': str`此二维码仅包含地址。请通过 ${1} 发送 ${0}。`,
  'qr.show': `显示二维码`,
  'request': `闪电网络付款请求`,
  'tag': `目标标签`,
  'tag.hint': `必须填写，否则无法找到您的付款。`,
  'test': `测试网络：这些币没有价值。`,
  'time': `剩余时间`,
  'wait.title': `请稍候`,
  'wallet': `在钱包中打开`,
};
