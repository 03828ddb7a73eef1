// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `ঠিকানা`,
  'amount': `পরিমাণ`,
  'copy': `কপি করুন`,
  'only': str`শুধু ${1}-এ ${0} পাঠান। অন্য কিছু পাঠালে তা হারাতে পারে।`,
  'pay.network': str`${0}-এ`,
  'pay.send': `ঠিক এতটাই পাঠান`,
  'qr.bare': str`এই কোডে শুধু ঠিকানা আছে। ${1}-এ ${0} পাঠান।`,
  'qr.hide': `কিউআর কোড লুকান`,
  'qr.show': `কিউআর কোড দেখান`,
  'request': `লাইটনিং পেমেন্ট অনুরোধ`,
  'tag': `গন্তব্য ট্যাগ`,
  'tag.hint': `এই ট্যাগ ছাড়া আপনার পেমেন্ট অর্ডারের সঙ্গে মেলানো যাবে না।`,
  'test': `পরীক্ষার নেটওয়ার্ক: এই কয়েনের কোনো মূল্য নেই।`,
  'wait.title': `অনুগ্রহ করে অপেক্ষা করুন`,
  'wallet': `ওয়ালেট অ্যাপ খুলুন`,
};
