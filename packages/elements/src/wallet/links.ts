import type { Panel } from '../panel.ts';
import { pageToShare } from '../share.ts';
import { phoneHere } from './phone.ts';
import { requestOf } from './request.ts';
import { walletsFor } from './table.ts';

/** Links that open a wallet on this phone with what the panel shows; on anything else there are none that could work. */
export function linksOf({ checkout, page }: Panel): { name: string; link: string }[] {
  const phone = phoneHere();
  const { payment, network } = checkout;
  const request = payment && payment.from !== 'exchange' ? requestOf(payment) : null;
  return phone && request ? walletsFor(request, { phone, page: pageToShare(page), test: network !== 'mainnet' }) : [];
}
