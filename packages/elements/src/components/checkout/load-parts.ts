import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutHost } from '../../core/contracts.ts';
import {
  frame,
  handOff,
  loadFrame,
  loadHandOff,
  loadPicker,
  loadRefund,
  loadStatus,
  picker,
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
    needsStatus && (statusModule() ?? loadStatus()),
    (view?.stage === 'choose' || show === 'coins') && (picker() ?? loadPicker()),
    (view?.refunds || view?.refundable) && (refund() ?? loadRefund()),
    snapshot && (handOff() ?? loadHandOff()),
    mode === 'frame' && (frame() ?? loadFrame()),
  ].filter((one) => one instanceof Promise);
}
