import type { Panel } from '../core/panel.ts';
import { pageToShare } from './share.ts';
import { phoneHere } from './phone.ts';
import { requestOf } from './request.ts';
import { type WalletApp, walletsFor } from './wallets.ts';

/** Links that open a wallet app on this phone with the payment; empty on other devices. */
export function linksOf({ checkout, page }: Panel): WalletApp[] {
  const phone = phoneHere();
  const { payment, network } = checkout;
  const request = payment && payment.from !== 'exchange' ? requestOf(payment) : null;
  if (!phone || !request) return [];
  const where = { phone, page: pageToShare(page), test: network !== 'mainnet' };
  const own = walletsFor(request, where);
  // A wallet that reads both takes the link with both.
  const others = request.beside ? walletsFor(request.beside, where) : [];
  return [...own, ...others.filter(({ name }) => !own.some((one) => one.name === name))];
}
