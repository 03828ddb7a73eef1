import { kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import { loadKeys } from '@crypto-checkout/chains/keys';
import type { DepositTarget } from '@crypto-checkout/chains/adapter';
import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import type { ContractChain } from '../../../chains/test/contract.ts';
import { createSandboxChains } from '../../src/sandbox/chains.ts';
import type { SandboxOutput } from '../../src/sandbox/store.ts';
import { createSandboxWorld, type SandboxWorld } from '../../src/sandbox/world.ts';
import type { Db } from '../../src/database/database.ts';
import type { MoneyChain } from './money.ts';
import { testClock, testIds } from './context.ts';
import { testDatabase } from './database.ts';
import { ADDRESS, payoutShop } from './payouts.ts';

// Published test words without funds.
const mnemonic =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const keys = loadKeys('', { network: 'testnet', mnemonic });

/** Starts a simulated chain in a database of its own; payments are made in this kind. */
export async function startSandboxChain(chain: ChainId, kind: string): Promise<ContractChain> {
  const { db, close } = await testDatabase();
  const world = createSandboxWorld({ db, clock: testClock(), ids: testIds() });
  // The simulated genesis block is no block of payments.
  await world.mine(chain, 1);
  return { ...simulated({ db, world, chain, kind }), close };
}

/** A gateway whose shop is paid on a simulated chain, and pays out to an address of nobody. */
export async function startSandboxMoney(
  chain: ChainId,
  kind: string,
  stranger: keyof typeof ADDRESS,
): Promise<MoneyChain> {
  const shop = await payoutShop({ chains: [chain] });
  const { db } = shop.context;
  await shop.world.mine(chain, 1);
  await shop.fund(kind, '10');
  const { asset } = kindOf(kind)!;
  return {
    ...simulated({ db, world: shop.world, chain, kind }),
    kind,
    shop,
    stranger: () => ADDRESS[stranger],
    async held(address) {
      const { rows } = await sql<{ amount: string }>`
        select coalesce(sum(o.amount), 0)::text as amount from sandbox_output o
        join sandbox_transaction t using (chain, txid)
        where t.state = 'block' and o.address = ${address} and o.asset = ${asset}`.execute(db);
      return parseAmount(rows[0]!.amount);
    },
    async expire(txid) {
      await shop.world.drop(txid);
      await shop.world.mine(chain, RUN_OUT_BLOCKS);
    },
    close: async () => {},
  };
}

/** A transaction is valid for 20 blocks; its end is final after the longest final depth. */
const RUN_OUT_BLOCKS = 100;

interface Simulated {
  db: Db;
  world: SandboxWorld;
  chain: ChainId;
  kind: string;
}

function simulated({ db, world, chain, kind }: Simulated): Omit<ContractChain, 'close'> {
  const { asset, decimals } = kindOf(kind)!;
  const open = async () => createSandboxChains({ db, keys }).get(chain)!;
  // The first keys are those of the shop's invoices.
  let nextIndex = 1_000;
  const output = ({ address, watchKeys }: DepositTarget, amount: Amount): SandboxOutput => ({
    asset,
    address: address!,
    watchKey: watchKeys[0]!,
    amount,
  });
  const pay = async (outputs: SandboxOutput[]): Promise<string> =>
    (await world.pay(chain, outputs, { replaceable: true })).txid;
  return {
    asset,
    decimals,
    open,
    async target() {
      const adapter = await open();
      return adapter.deriveTarget({
        kind,
        index: nextIndex++,
        amount: null,
        expirySeconds: 900,
        description: '',
        now: 0,
      });
    },
    pay: (target, amount) => pay([output(target, amount)]),
    payEach: (targets, amount) => pay(targets.map((target) => output(target, amount))),
    async payAndFail(target, amount) {
      const txid = await pay([output(target, amount)]);
      await world.fail(txid);
      return txid;
    },
    mine: async (blocks) => void (await world.mine(chain, blocks)),
    replace: async (txid, target) => (await world.replace(txid, target !== null)).txid,
    drop: (txid) => world.drop(txid),
    async reorganise(depth, kept) {
      await world.reorganise(chain, depth, kept.length === 0);
    },
    advance: async () => {},
  };
}
