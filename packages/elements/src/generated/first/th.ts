// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `ที่อยู่`,
  'amount': `ยอดเงิน`,
  'copy': `คัดลอก`,
  'only': str`ส่งเฉพาะ ${0} บน ${1} เท่านั้น หากส่งอย่างอื่นอาจสูญหาย`,
  'pay.network': str`บน ${0}`,
  'pay.send': `ส่งจำนวนนี้พอดี`,
  'qr.bare': str`โค้ดนี้มีเฉพาะที่อยู่ โปรดส่ง ${0} บน ${1}`,
  'qr.hide': `ซ่อนคิวอาร์โค้ด`,
  'qr.show': `แสดงคิวอาร์โค้ด`,
  'request': `คำขอชำระผ่านไลต์นิง`,
  'tag': `แท็กปลายทาง`,
  'tag.hint': `หากไม่มีแท็กนี้ จะจับคู่การชำระเงินกับคำสั่งซื้อของคุณไม่ได้`,
  'test': `เครือข่ายทดสอบ: เหรียญเหล่านี้ไม่มีมูลค่า`,
  'wait.title': `โปรดรอสักครู่`,
  'wallet': `เปิดแอปกระเป๋าเงิน`,
};
