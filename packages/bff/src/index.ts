export { type Bff, createBff } from './app.ts';
export {
  type BffOptions,
  type ElementFile,
  type HostAbilities,
  type Mailer,
  type ReceiptMail,
  type Log,
  OptionsError,
  type Sink,
} from './options.ts';
export { Catalogue } from './orders/catalogue.ts';
export {
  SHOP_EVENTS,
  type ShopEvent,
  type ShopEventName,
} from '@crypto-checkout/protocol/shop-event';
export { createMemoryStore } from './store/memory.ts';
export { type Entry, type Store, StoreError } from './store/store.ts';
