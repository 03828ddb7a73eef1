import type { Panel } from '../core/panel.ts';
import { pageToShare } from './share.ts';
import { phoneHere } from './phone.ts';
import { requestOf } from './request.ts';
import { walletsFor } from './wallets.ts';

/** Links that open a wallet app on this phone with the payment; empty on other devices. */
export function linksOf({ checkout, page }: Panel): { name: string; link: string }[] {
  const phone = phoneHere();
  const { payment, network } = checkout;
  const request = payment && payment.from !== 'exchange' ? requestOf(payment) : null;
  return phone && request
    ? walletsFor(request, { phone, page: pageToShare(page), test: network !== 'mainnet' })
    : [];
}
