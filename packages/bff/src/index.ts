export { type Bff, createBff } from './bff.ts';
export { type BffOptions, type ElementFile, type HostAbilities, type Log, OptionsError, type Sink } from './options.ts';
export { Catalogue } from './order/catalogue.ts';
export { SHOP_EVENTS, type ShopEvent, type ShopEventName } from './callback/shop-event.ts';
export { createMemoryStore } from './store/memory.ts';
export { type Entry, type Store, StoreError } from './store/store.ts';
