import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import { CHAINS, KINDS, kindOf, type EvmChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { evmSendingAddress } from '@crypto-checkout/chains/evm/sender';
import type { PublicKeys } from '@crypto-checkout/chains/keys';
import { parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { pino } from 'pino';
import { type Address, encodeFunctionData, erc20Abi, type Hex, parseUnits, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  balanceSlot,
  compileContracts,
  DECIMALS_SLOT,
  deploy,
  startAnvil,
  storedText,
  SYMBOL_SLOT,
  type Anvil,
} from '../../../chains/test/support/anvil.ts';
import { startOpStack } from '../../../chains/test/support/op-stack.ts';
import { call, testAccount, type TestAccount, type TestKey } from '../../test/support/call.ts';
import { testClock, testContext, type TestContext } from '../../test/support/context.ts';
import { createApp } from '../app.ts';
import { loadConfig } from '../config.ts';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';
import { nodeSettingNames } from '../settings/evm-nodes.ts';
import { processPayouts } from '../payout/sending/process.ts';
import { sweepDeposits } from '../sweep/sweep.ts';
import { settle } from '../worker/settle.ts';
import { openChains } from './open-chains.ts';

type Start = (...options: string[]) => Promise<{ anvil: Anvil; proxy: { url: string } }>;

const plain: Start = async (...options) => {
  const anvil = await startAnvil(...options);
  return { anvil, proxy: anvil };
};

/** A coin and a token of each chain, and a node that acts like it. */
const NETWORKS: Readonly<Record<EvmChainId, { coin: string; token: string; start?: Start }>> = {
  ethereum: { coin: 'ETH', token: 'ETH_USDT' },
  base: { coin: 'ETH-BASE', token: 'USDC-BASE', start: startOpStack },
  arbitrum: { coin: 'ETH-ARBITRUM', token: 'USDT-ARBITRUM' },
  polygon: { coin: 'POL', token: 'USDT-POLYGON' },
  bsc: { coin: 'BNB', token: 'USDT-BSC' },
  celo: { coin: 'CELO', token: 'USDT-CELO', start: (...options) => plain('--celo', ...options) },
};
const ids = Object.keys(NETWORKS) as EvmChainId[];
/** A swept address may keep the part of the planned fee that the block did not take. */
const FEE_REMAINDER = parseUnits('0.001', 18);
const RECIPIENT: Address = '0x52908400098527886E0F7030069857D2E4169EE7';

interface Network {
  anvil: Anvil;
  token: Address;
}
const networks = new Map<EvmChainId, Network>();
let dataDir: string;
let nodes: TestDatabase;
let context: TestContext;
let app: ReturnType<typeof createApp>;
let account: TestAccount;
let keys: PublicKeys;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'networks-'));
  const tokenContract = compileContracts()['Token']!;
  const env: Record<string, string> = {
    DATA_DIR: dataDir,
    PAYOUT_ADDRESS_DELAY: '0',
    LOG_LEVEL: 'silent',
  };
  for (const id of ids) {
    const { token: name, start = plain } = NETWORKS[id];
    const { anvil, proxy } = await start(
      '--chain-id',
      String(CHAINS[id].evmChainId),
      // The finalized block is two blocks behind the newest one.
      '--slots-in-an-epoch',
      '1',
    );
    const token = await deploy(anvil, tokenContract);
    const store = (index: Hex, value: bigint): Promise<void> =>
      anvil.wallet.setStorageAt({ address: token, index, value: toHex(value, { size: 32 }) });
    const { decimals, symbol } = kindOf(name)!;
    await anvil.wallet.setStorageAt({
      address: token,
      index: SYMBOL_SLOT,
      value: storedText(symbol),
    });
    await store(DECIMALS_SLOT, BigInt(decimals));
    await store(balanceSlot(anvil.wallet.account.address), parseUnits('1000000', decimals));
    networks.set(id, { anvil, token });
    const settings = nodeSettingNames(id);
    env[settings.url] = proxy.url;
    env[settings.tokens] = JSON.stringify({ [name]: token });
  }
  nodes = await testDatabase();
  const config = loadConfig({ SECRETS_KEY: '00'.repeat(32), ...env });
  const clock = testClock(Date.now());
  const opened = await openChains({
    config,
    db: nodes.db,
    log: pino({ level: 'silent' }),
  });
  expect(opened.network).toBe('mainnet');
  ({ keys } = opened);
  const { chains, senders, signer, network } = opened;
  context = await testContext({ config, clock, chains, senders, signer, network });
  account = await testAccount(context);
  app = createApp(context);
  await settle(context);
}, 120_000);
afterAll(async () => {
  await Promise.all([...networks.values()].map(({ anvil }) => anvil.stop()));
  await context?.close();
  await nodes?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function ask(
  key: TestKey,
  method: string,
  path: string,
  members: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const { status, body } = await call(app, key, method, path, members);
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return (body as { result: Record<string, unknown> }).result;
}

/** Mines blocks and does all work that is due. */
async function mine(id: EvmChainId, blocks = CHAINS[id].finalConfirmations): Promise<void> {
  await networks.get(id)!.anvil.wallet.mine({ blocks });
  await settle(context);
}

async function pay(id: EvmChainId, kind: Kind, to: Address, amount: string): Promise<void> {
  const { anvil, token } = networks.get(id)!;
  const value = parseUnits(amount, kind.decimals);
  if (!kind.token) {
    await anvil.wallet.sendTransaction({ to, value, chain: null });
    return;
  }
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, value] });
  await anvil.wallet.sendTransaction({ to: token, data, gas: 200_000n, chain: null });
}

async function held(id: EvmChainId, kind: Kind, address: Address): Promise<bigint> {
  const { anvil, token } = networks.get(id)!;
  if (!kind.token) return anvil.wallet.getBalance({ address });
  const read = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const;
  return anvil.wallet.readContract({ ...read, args: [address] });
}

describe.each(ids)('on %s', (id) => {
  const kinds = [NETWORKS[id].coin, NETWORKS[id].token].map((name) => kindOf(name)!);
  const deposits: Address[] = [];

  it.each(kinds)('$kind: an invoice is paid and complete', async (kind) => {
    const invoice = await ask(account.bff, 'POST', '/v1/invoices/', {
      profile_id: account.profile_id,
      kind: kind.kind,
      amount: '100',
      currency: 'USD',
    });
    const { address, amount } = invoice as {
      address: Address;
      amount: { invoiced: { amount: string } };
    };
    deposits.push(address);
    await pay(id, kind, address, amount.invoiced.amount);
    await mine(id);
    expect(await ask(account.bff, 'GET', `/v1/invoices/${String(invoice['id'])}/`)).toMatchObject({
      status: 'complete',
    });
  });

  it.each([
    ['999.99', CHAIN_DETAILS[id].confirmations],
    ['1000', CHAINS[id].finalConfirmations],
  ])('an invoice of %s USD asks for %i confirmations', async (amount, min_confirmations) => {
    const [coin] = kinds as [Kind, Kind];
    const order = { profile_id: account.profile_id, kind: coin.kind, amount, currency: 'USD' };
    const create = (more: object = {}) =>
      ask(account.bff, 'POST', '/v1/invoices/', { ...order, ...more });
    expect(await create()).toMatchObject({ min_confirmations });
    expect(await create({ min_confirmations: 2 })).toMatchObject({ min_confirmations: 2 });
  });

  it('every deposit is swept to the payout address', async () => {
    context.clock.advance(600_000);
    for (let round = 0; round < 6; round += 1) {
      await sweepDeposits(context);
      await mine(id);
    }
    const [coin, token] = kinds as [Kind, Kind];
    for (const address of deposits) {
      expect(await held(id, token, address)).toBe(0n);
      expect(await held(id, coin, address)).toBeLessThan(FEE_REMAINDER);
    }
  });

  it.each(kinds)('$kind: a payout arrives and is complete', async (kind) => {
    const before = await held(id, kind, RECIPIENT);
    const payout = await ask(account.api, 'POST', '/v1/payouts/', {
      profile_id: account.profile_id,
      kind: kind.kind,
      recipients: [{ amount: '40', currency: 'USD', address: RECIPIENT }],
    });
    const { total } = payout['amount'] as { total: string };
    for (let round = 0; round < 3; round += 1) {
      await processPayouts(context);
      await mine(id);
    }
    await processPayouts(context);
    expect(await ask(account.api, 'GET', `/v1/payouts/${String(payout['id'])}/`)).toMatchObject({
      status: 'complete',
    });
    const arrived = (await held(id, kind, RECIPIENT)) - before;
    expect(arrived).toBe(parseUnits(total, kind.decimals));
  });

  it.each(kinds)('$kind: the books equal the chain to the last unit', async (kind) => {
    const addresses = [evmSendingAddress(keys) as Address, ...deposits];
    const amounts = await Promise.all(addresses.map((address) => held(id, kind, address)));
    const { rows } = await sql<{ sum: string }>`
      select coalesce(sum(amount), 0)::text as sum from balance
      where currency = ${kind.asset}`.execute(context.db);
    const booked = toUnits(parseAmount(rows[0]!.sum), kind.decimals);
    expect(booked).toBe(amounts.reduce((sum, amount) => sum + amount, 0n));
  });
});

it('a payment counts at the usual depth of its chain, and not before', async () => {
  const kind = kindOf('ETH')!;
  const { id, address, amount } = (await ask(account.bff, 'POST', '/v1/invoices/', {
    profile_id: account.profile_id,
    kind: 'ETH',
    amount: '20',
    currency: 'USD',
  })) as { id: string; address: Address; amount: { invoiced: { amount: string } } };
  await pay('ethereum', kind, address, amount.invoiced.amount);
  const statusAfter = async (blocks: number) => {
    await mine('ethereum', blocks);
    return (await ask(account.bff, 'GET', `/v1/invoices/${id}/`))['status'];
  };
  expect(await statusAfter(CHAIN_DETAILS.ethereum.confirmations - 1)).toBe('pending');
  expect(await statusAfter(1)).toBe('paid');
});

it('an invoice for any amount asks for the final depth', async () => {
  const order = { profile_id: account.profile_id, kind: 'ETH', currency: 'USD' };
  expect(await ask(account.bff, 'POST', '/v1/invoices/', order)).toMatchObject({
    min_confirmations: CHAINS.ethereum.finalConfirmations,
  });
});

it('a profile shows the usual depth, and can state another one', async () => {
  const path = `/v1/profiles/${account.profile_id}/`;
  const read = async () =>
    (await ask(account.api, 'GET', path))['currencies'] as {
      kind: string;
      wallet_id: string;
      min_confirmations: number;
    }[];
  const before = await read();
  for (const { kind, min_confirmations } of before)
    expect(min_confirmations, kind).toBe(CHAIN_DETAILS[kindOf(kind)!.chain].confirmations);
  const requiredOf = async (amount: string) =>
    (
      await ask(account.bff, 'POST', '/v1/invoices/', {
        profile_id: account.profile_id,
        kind: 'POL',
        amount,
        currency: 'USD',
      })
    )['min_confirmations'];
  const put = (min_confirmations: number | null) =>
    ask(account.api, 'PUT', path, {
      currencies: before.map((one) => (one.kind === 'POL' ? { ...one, min_confirmations } : one)),
    });
  await put(7);
  expect([await requiredOf('10'), await requiredOf('5000')]).toEqual([7, 7]);
  // The default, stated or not, is the default: a profile that is read and written back keeps it.
  for (const value of [null, CHAIN_DETAILS.polygon.confirmations]) {
    await put(value);
    expect([await requiredOf('10'), await requiredOf('5000')]).toEqual([10, 20]);
  }
  expect(await read()).toEqual(before);
});

it('every chain of the EVM family has a node here', () => {
  const chains = new Set(KINDS.map(({ chain }) => chain));
  expect(ids).toEqual([...chains].filter((chain) => CHAINS[chain].family === 'evm'));
});
