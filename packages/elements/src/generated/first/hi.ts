// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `पता`,
  'amount': `राशि`,
  'copy': `कॉपी करें`,
  'only': str`सिर्फ़ ${1} नेटवर्क पर ${0} भेजें। कुछ और भेजा तो वह खो सकता है।`,
  'pay.network': str`${0} पर`,
  'pay.send': `ठीक इतना भेजें`,
  'qr.bare': str`इस कोड में सिर्फ़ पता है। ${1} पर ${0} भेजें।`,
  'qr.hide': `क्यूआर कोड छिपाएँ`,
  'qr.show': `क्यूआर कोड दिखाएँ`,
  'request': `लाइटनिंग भुगतान अनुरोध`,
  'tag': `डेस्टिनेशन टैग`,
  'tag.hint': `इस टैग के बिना आपका भुगतान ऑर्डर से नहीं जोड़ा जा सकता।`,
  'test': `टेस्ट नेटवर्क: इन कॉइन का कोई मूल्य नहीं है।`,
  'wait.title': `कृपया प्रतीक्षा करें`,
  'wallet': `वॉलेट ऐप खोलें`,
};
