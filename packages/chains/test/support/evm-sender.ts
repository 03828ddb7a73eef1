import { mnemonicToSeedSync } from '@scure/bip39';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { type Address, parseEther } from 'viem';
import { expect } from 'vitest';
import { createEvmNode } from '../../src/evm/node.ts';
import { createEvmSendNode } from '../../src/evm/send/send-node.ts';
import { createEvmSender, evmSendingAddress } from '../../src/evm/sender.ts';
import { setUpEvm } from '../../src/evm/setup.ts';
import { createJsonRpc } from '../../src/json-rpc.ts';
import { publicKeysOf } from '../../src/keys.ts';
import type {
  ChainSender,
  Planned,
  SendPlan,
  SentTransaction,
  SignedTransaction,
} from '../../src/sender.ts';
import { createSigner } from '../../src/signer.ts';
import type { Anvil } from './anvil.ts';

// Published test words without funds.
const seed = mnemonicToSeedSync(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
);
const keys = publicKeysOf(seed, { network: 'testnet' });
/** The address of the sender. */
export const SENDER = evmSendingAddress(keys) as Address;
const RECIPIENT = '0x000000000000000000000000000000000000b0b0';

export interface EvmSenderOptions {
  anvil: Anvil;
  /** The provider that is used, then others of the same chain. */
  urls: readonly string[];
  /** Attempts of each request. Default: that of the product. */
  attempts?: number;
  /** Contracts by kind. Default: none. */
  tokens?: Readonly<Record<string, string>>;
}

/** A sender on Ethereum whose address has 2 ETH. */
export async function createFundedSender(options: EvmSenderOptions): Promise<ChainSender> {
  const { anvil, urls, attempts, tokens = {} } = options;
  const [rpc, ...others] = urls.map((url) =>
    createJsonRpc({ url, ...(attempts !== undefined && { attempts }) }),
  );
  const settings = { url: 'ETH_RPC_URL', tokens: 'ETH_TOKENS' };
  const setup = await setUpEvm({ chain: 'ethereum', node: createEvmNode(rpc!), tokens, settings });
  const node = createEvmSendNode(rpc!);
  const otherNodes = others.map((other) => createEvmSendNode(other));
  await anvil.wallet.setBalance({ address: SENDER, value: parseEther('2') });
  const { chainId, assets } = setup;
  return createEvmSender({
    chain: 'ethereum',
    chainId,
    node,
    ...(otherNodes.length > 0 && { providers: () => [node, ...otherNodes] }),
    assets,
    keys,
  });
}

/** Plans a payment of this amount of ETH. */
export const planPayment = (
  sender: ChainSender,
  amount: string,
  minNonce: number,
): Promise<Planned> =>
  sender.plan({
    id: 'p',
    asset: 'ETH',
    outputs: [
      {
        address: RECIPIENT,
        tag: null,
        memo: null,
        paymentRequest: null,
        amount: parseAmount(amount),
      },
    ],
    preset: 'normal',
    feeRate: null,
    feeReserve: parseAmount('0.01'),
    minNonce,
  });

/** Signs a plan with the key of the sender. */
export const sign = (plan: SendPlan): Promise<SignedTransaction> =>
  createSigner(seed).sign({ id: 'p', purpose: 'payout', plan });

/** Plans, signs and broadcasts a payment of this amount of ETH. */
export async function payOnce(
  sender: ChainSender,
  amount: string,
  minNonce: number,
): Promise<SentTransaction> {
  const planned = await planPayment(sender, amount, minNonce);
  if (planned.type !== 'plan') throw new Error(JSON.stringify(planned));
  const { plan, nonce } = planned;
  const signed = await sign(plan);
  expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
  return { nonce, attempts: [{ ...signed, plan }] };
}
