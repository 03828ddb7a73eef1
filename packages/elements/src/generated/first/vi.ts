// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Địa chỉ`,
  'amount': `Số tiền`,
  'copy': `Sao chép`,
  'only': str`Chỉ gửi ${0} trên mạng ${1}. Gửi loại khác có thể bị mất.`,
  'pay.network': str`trên ${0}`,
  'pay.send': `Gửi chính xác`,
  'qr.bare': str`Mã này chỉ chứa địa chỉ. Hãy gửi ${0} trên ${1}.`,
  'qr.hide': `Ẩn mã QR`,
  'qr.show': `Hiện mã QR`,
  'request': `Yêu cầu thanh toán Lightning`,
  'tag': `Thẻ đích`,
  'tag.hint': `Thiếu thẻ này, khoản thanh toán không thể khớp với đơn hàng của bạn.`,
  'test': `Mạng thử nghiệm: các đồng tiền này không có giá trị.`,
  'wait.title': `Vui lòng chờ`,
  'wallet': `Mở ứng dụng ví`,
};
