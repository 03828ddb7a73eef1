import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Alarm } from '@crypto-checkout/protocol/dashboard';
import { type ChainId, kindOf } from '@crypto-checkout/protocol/kind';
import { networkName } from './coin-name.ts';
import type { AlarmRow } from './store.ts';

/** An alarm with what a person calls its money, network and address. */
export function presentAlarm(row: AlarmRow): Alarm {
  const { id, chain, resource, resource_id, reason, raised_at, asset, amount, reference } = row;
  const network = chain ?? (asset === null ? undefined : kindOf(asset)?.chain) ?? null;
  return {
    id,
    chain,
    resource,
    resource_id,
    reason,
    raised_at,
    network: network === null ? null : networkName(network as ChainId),
    about:
      asset === null
        ? null
        : { amount: amount === null ? null : plain(amount), currency: symbolOf(asset), reference },
    funding: row.funding && fundingOf(row.funding),
  };
}

const fundingOf = ({ asset, amount, address }: NonNullable<AlarmRow['funding']>) => ({
  amount: amount === null ? null : plain(amount),
  currency: symbolOf(asset),
  address,
});

const plain = (amount: string): string => formatAmount(parseAmount(amount));
const symbolOf = (asset: string): string => kindOf(asset)?.symbol ?? asset;
