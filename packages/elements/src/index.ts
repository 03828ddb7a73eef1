export { CryptoAddress } from './address.ts';
export { CryptoAmount } from './amount.ts';
export { CryptoCheckout } from './checkout.ts';
export { CryptoCoinPicker } from './coin-picker.ts';
export { CryptoCountdown } from './countdown.ts';
export { CheckoutCloseEvent, CheckoutErrorEvent, type CheckoutErrorCode, CoinPickEvent } from './event.ts';
export { CryptoQr } from './qr.ts';
export { CryptoStatus } from './status.ts';
export { CheckoutChangeEvent, CheckoutPaidEvent, CheckoutReadyEvent } from './told.ts';
