// Written by `npm run i18n`. Change the translations in xliff/, not this file.
import { str } from '@lit/localize';

export const templates = {
  'address': `Alamat`,
  'amount': `Jumlah`,
  'copy': `Salin`,
  'only': str`Kirim hanya ${0} di ${1}. Kiriman lain bisa hilang.`,
  'pay.network': str`di ${0}`,
  'pay.send': `Kirim tepat`,
  'qr.bare': str`Kode ini hanya berisi alamat. Kirim ${0} di ${1}.`,
  'qr.hide': `Sembunyikan kode QR`,
  'qr.show': `Tampilkan kode QR`,
  'request': `Permintaan pembayaran Lightning`,
  'tag': `Tag tujuan`,
  'tag.hint': `Tanpa tag ini, pembayaran Anda tidak dapat dicocokkan dengan pesanan.`,
  'test': `Jaringan uji coba: kripto ini tidak bernilai.`,
  'wait.title': `Mohon tunggu`,
  'wallet': `Buka aplikasi dompet`,
};
