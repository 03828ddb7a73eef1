import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutHost } from '../../core/contracts.ts';
import {
  exchange,
  frame,
  handOff,
  loadExchange,
  loadFrame,
  loadHandOff,
  loadPicker,
  loadReceipt,
  loadRefund,
  loadStatus,
  picker,
  receipt,
  refund,
  statusModule,
} from '../../core/lazy-registry.ts';

/** Loads the modules that draw this view; empty once all are there. */
export function loadParts(
  { show, mode, snapshot }: Pick<CheckoutHost, 'show' | 'mode'> & { snapshot: unknown },
  view: Checkout | null | undefined,
  needsStatus: boolean,
): Promise<unknown>[] {
  return [
    statusModule()
      ? view && statusModule()!.loadTroubleOf(view)
      : needsStatus && loadStatus().then((status) => view && status?.loadTroubleOf(view)),
    (view?.stage === 'choose' || show === 'coins') && (picker() ?? loadPicker()),
    view?.payment?.from === 'exchange' && (exchange() ?? loadExchange()),
    show === 'receipt' && (receipt() ?? loadReceipt()),
    (view?.refunds || view?.refundable) && (refund() ?? loadRefund()),
    snapshot && (handOff() ?? loadHandOff()),
    mode === 'frame' && (frame() ?? loadFrame()),
  ].filter((one) => one instanceof Promise);
}
