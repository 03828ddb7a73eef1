// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `アドレス`,
  'amount': `金額`,
  'copy': `コピー`,
  'only': str`${1}ネットワークの${0}だけをお送りください。それ以外は失われるおそれがあります。`,
  'pay.network': str`${0}ネットワーク`,
  'pay.send': `送金額`,
  'pay.text': `コードを読み取るか、詳細をコピーして、金額を確認してください。`,
  'pay.title': `お支払いを送信してください`,
  'qr.bare': str`このコードにはアドレスだけが入っています。${1}で${0}を送金してください。`,
  'qr.show': `QRコードを表示`,
  'request': `ライトニング請求`,
  'tag': `宛先タグ`,
  'tag.hint': `お支払いの特定に必要です。`,
  'test': `テストネットワーク：このコインに価値はありません。`,
  'time': `残り時間`,
  'wait.title': `お待ちください`,
  'wallet': `ウォレットで開く`,
};
