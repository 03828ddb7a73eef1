import './lazy/lazy-modules.ts';
import { providePicker } from './core/lazy-registry.ts';
import * as picker from './lazy/picker.ts';
export { CryptoAddress } from './components/address/address.ts';
export { CryptoAmount } from './components/amount/amount.ts';
export { CryptoCheckoutButton } from './components/button/button.ts';
export { CryptoCheckout } from './components/checkout/checkout.ts';
export { CryptoCoinPicker } from './components/coin-picker/coin-picker.ts';
export { CryptoCountdown } from './components/countdown/countdown.ts';
export {
  CheckoutCloseEvent,
  CheckoutErrorEvent,
  type CheckoutErrorCode,
} from './events/checkout-events.ts';
export { CoinPickEvent } from './events/coin-pick-event.ts';
export { CryptoQr } from './components/qr/qr.ts';
export { CryptoStatus } from './components/status/status.ts';
export {
  CheckoutChangeEvent,
  CheckoutPaidEvent,
  CheckoutReadyEvent,
} from './events/lifecycle-events.ts';

// Statically imported modules need no loading.
providePicker(picker);
