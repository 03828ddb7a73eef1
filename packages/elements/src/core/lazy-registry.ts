import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type {
  AdviceModule,
  ControllerModule,
  ExchangeModule,
  FrameModule,
  HandOffModule,
  MarksModule,
  PickerModule,
  ReceiptModule,
  RefundModule,
  SearchModule,
  StatusModule,
  ThemeModule,
  TroubleModule,
} from './contracts.ts';

export type { PayingModule } from './contracts.ts';

/**
 * Fetches a module once, while the buyer reads. The getter returns undefined until it is loaded.
 */
function lazy<Module>() {
  let loaded: Module | undefined;
  let loading: Promise<Module | undefined> | undefined;
  // Without a loader the page has no use for the module.
  let fetch: () => Promise<Module | undefined> = () => Promise.resolve(undefined);
  const get = (): Module | undefined => loaded;
  // A failed request is repeated at the next call.
  const load = (): Promise<Module | undefined> =>
    (loading ??= loaded
      ? Promise.resolve(loaded)
      : fetch().then(
          (module) => (loaded = module),
          () => (loading = undefined),
        ));
  const from = (load: () => Promise<Module>): void => {
    fetch = load;
    loading = undefined;
  };
  const provide = (module: Module): void => void (loaded = module);
  return [get, load, from, provide] as const;
}

export const [statusModule, loadStatus, setStatusLoader, provideStatus] = lazy<StatusModule>();
export const [trouble, loadTrouble, setTroubleLoader, provideTrouble] = lazy<TroubleModule>();
export const [handOff, loadHandOff, setHandOffLoader, provideHandOff] = lazy<HandOffModule>();
export const [picker, loadPicker, setPickerLoader, providePicker] = lazy<PickerModule>();
export const [exchange, loadExchange, setExchangeLoader, provideExchange] = lazy<ExchangeModule>();
export const [receipt, loadReceipt, setReceiptLoader, provideReceipt] = lazy<ReceiptModule>();
export const [refund, loadRefund, setRefundLoader, provideRefund] = lazy<RefundModule>();
export const [marks, loadMarks, setMarksLoader] = lazy<MarksModule>();
export const [, loadController, setControllerLoader] = lazy<ControllerModule>();
export const [frame, loadFrame, setFrameLoader] = lazy<FrameModule>();
export const [search, loadSearch, setSearchLoader] = lazy<SearchModule>();
export const [, loadTheme, setThemeLoader] = lazy<ThemeModule>();
export const [, loadAdvice, setAdviceLoader] = lazy<AdviceModule>();

/**
 * Whether drawing this checkout needs the status module: choosing and paying an amount do not.
 * Server and browser must agree on it.
 */
export const needsStatus = ({ stage, notes, coins, payment, received }: Checkout): boolean =>
  (stage === 'choose' ? !coins.length : stage !== 'pay' || payment?.due == null) ||
  payment?.from === 'exchange' ||
  notes.some((note) => note !== 'test_network') ||
  received.length > 0;
