// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `주소`,
  'amount': `금액`,
  'copy': `복사`,
  'only': str`${1} 네트워크에서 ${0}만 보내 주세요. 다른 것을 보내면 잃을 수 있습니다.`,
  'pay.network': str`${0} 네트워크`,
  'pay.send': `정확히 보낼 금액`,
  'qr.bare': str`이 코드에는 주소만 들어 있습니다. ${1} 네트워크에서 ${0}을(를) 보내 주세요.`,
  'qr.hide': `QR 코드 숨기기`,
  'qr.show': `QR 코드 보기`,
  'request': `라이트닝 결제 요청`,
  'tag': `데스티네이션 태그`,
  'tag.hint': `이 태그가 없으면 결제를 주문과 연결할 수 없습니다.`,
  'test': `테스트 네트워크: 이 암호화폐는 가치가 없습니다.`,
  'wait.title': `잠시 기다려 주세요`,
  'wallet': `지갑 앱 열기`,
};
