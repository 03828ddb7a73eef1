import type { EvmChainId } from '@crypto-checkout/protocol/kind';
import { expect, it } from 'vitest';
import type { FeePreset } from '../../sender.ts';
import { maxFeePerGas, priorityFee } from './fees.ts';
import type { EvmSendNode } from './send-node.ts';

const SUGGESTED = 30n;
const node = { priorityFee: () => Promise.resolve(SUGGESTED) } as EvmSendNode;
const tipOn = (chain: EvmChainId, preset: FeePreset) => priorityFee({ chain, node }, preset);

it.each<EvmChainId>(['polygon', 'bsc'])(
  'the priority fee is never below the suggestion on %s, where nodes refuse less',
  async (chain) => {
    expect(await tipOn(chain, 'economy')).toBe(SUGGESTED);
    expect(await tipOn(chain, 'normal')).toBe(SUGGESTED);
    expect(await tipOn(chain, 'high')).toBe(2n * SUGGESTED);
    // The least priority fee may double until the transaction is sent.
    expect(maxFeePerGas(chain, 0n, SUGGESTED)).toBe(2n * SUGGESTED);
  },
);

it.each<EvmChainId>(['ethereum', 'base', 'arbitrum', 'celo'])(
  'the economy preset pays less than the suggestion on %s',
  async (chain) => {
    expect(await tipOn(chain, 'economy')).toBe(24n);
    expect(maxFeePerGas(chain, 10n, SUGGESTED)).toBe(20n + SUGGESTED);
  },
);
