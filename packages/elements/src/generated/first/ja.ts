// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `アドレス`,
  'amount': `金額`,
  'copy': `コピー`,
  'only': str`${1}ネットワークの${0}だけをお送りください。それ以外は失われるおそれがあります。`,
  'pay.network': str`${0}ネットワーク`,
  'pay.send': `ちょうどこの金額を送金`,
  'qr.bare': str`このコードにはアドレスだけが入っています。${1}で${0}を送金してください。`,
  'qr.hide': `QRコードを隠す`,
  'qr.show': `QRコードを表示`,
  'request': `ライトニング請求`,
  'tag': `宛先タグ`,
  'tag.hint': `このタグがないと、お支払いを注文と照合できません。`,
  'test': `テストネットワーク：この暗号資産に価値はありません。`,
  'wait.title': `お待ちください`,
  'wallet': `ウォレットアプリを開く`,
};
