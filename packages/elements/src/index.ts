import { providePicker } from './later.ts';
import * as picker from './picker.ts';
export { CryptoAddress } from './address.ts';
export { CryptoAmount } from './amount.ts';
export { CryptoCheckoutButton } from './button.ts';
export { CryptoCheckout } from './checkout.ts';
export { CryptoCoinPicker } from './coin-picker.ts';
export { CryptoCountdown } from './countdown.ts';
export { CheckoutCloseEvent, CheckoutErrorEvent, type CheckoutErrorCode, CoinPickEvent } from './event.ts';
export { CryptoQr } from './qr.ts';
export { CryptoStatus } from './status.ts';
export { CheckoutChangeEvent, CheckoutPaidEvent, CheckoutReadyEvent } from './told.ts';

// What is imported here is at hand.
providePicker(picker);
