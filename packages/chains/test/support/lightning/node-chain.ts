import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Amount } from '@crypto-checkout/protocol/amount';
import type { ChainAdapter, DepositTarget, DeriveOptions } from '../../../src/adapter.ts';
import { millisatoshi } from '../../../src/lightning/payment-request.ts';
import type { ContractChain, FactCase } from '../../contract.ts';
import type { LightningNetwork } from './lightning-network.ts';

const ONE_REQUEST = 'a lightning payment pays one request, once';
const NO_BLOCKS = 'a settled lightning payment is final, and in no block';
/** Cases of the contract that lightning cannot have. */
export const NOT_OVER_LIGHTNING: Partial<Record<FactCase, string>> = {
  largest: 'no channel is that large',
  twice_in_a_block: ONE_REQUEST,
  several_outputs_to_one: ONE_REQUEST,
  outputs_to_several: ONE_REQUEST,
  mempool: NO_BLOCKS,
  dropped: NO_BLOCKS,
  replaced_away: NO_BLOCKS,
  replaced_to_us: NO_BLOCKS,
  failed: NO_BLOCKS,
  reorganised_by_one: NO_BLOCKS,
  reorganised_by_three: NO_BLOCKS,
  reorganised_away: NO_BLOCKS,
  reorganised_while_stopped: NO_BLOCKS,
  in_portions: 'there are no empty blocks; payments: adapter.test.ts',
  behind: NO_BLOCKS,
};

/** A lightning node in tests; all programs share this. */
export interface NodeChain extends ContractChain {
  derive(options: Partial<DeriveOptions>): Promise<DepositTarget>;
}

/** The interface of a node's program, as its test server has it. */
interface NodeServer {
  /** Answers that the program would not give, by its own description. */
  readonly violations: readonly string[];
  fault(fault: 'silent' | 'empty' | null): void;
  stop(): Promise<void>;
}

interface NodeProgram {
  name: string;
  network: LightningNetwork;
  server: NodeServer;
  openAdapter: () => Promise<ChainAdapter>;
  /** Moves the node to a network that no gateway accepts. */
  leaveNetwork: () => void;
  /** Removed at the end, with its folder. */
  certificateFile?: string;
}

/** Writes the certificate of a node to a file, as its user does. */
export function certificateFileOf(server: { certificate(): string }): string {
  const file = join(mkdtempSync(join(tmpdir(), 'lightning-')), 'tls.cert');
  writeFileSync(file, server.certificate());
  return file;
}

export function createNodeChain({
  name,
  network,
  server,
  openAdapter,
  leaveNetwork,
  certificateFile,
}: NodeProgram): NodeChain {
  const adapters: ChainAdapter[] = [];
  async function open(): Promise<ChainAdapter> {
    const adapter = await openAdapter();
    adapters.push(adapter);
    return adapter;
  }

  let nextIndex = 0;
  async function derive(options: Partial<DeriveOptions>): Promise<DepositTarget> {
    const adapter = adapters[0] ?? (await open());
    return adapter.deriveTarget({
      kind: 'BTC_LIGHTNING',
      index: (nextIndex += 1),
      amount: null,
      expirySeconds: 900,
      description: 'Order 1001',
      now: Date.now(),
      ...options,
    });
  }

  async function pay({ lightning }: DepositTarget, amount: Amount): Promise<string> {
    const { paymentRequest, paymentHash } = lightning!;
    const { paid } = await network.payer.pay(paymentRequest!, millisatoshi(amount));
    if (!paid) throw new Error('The payment did not arrive');
    return paymentHash!;
  }

  const unsupported = async (): Promise<never> => {
    throw new Error('Lightning has no such transaction');
  };
  return {
    asset: 'BTC',
    // Millisatoshi.
    decimals: 11,
    open,
    derive,
    target: () => derive({}),
    pay,
    payEach: unsupported,
    payAndFail: unsupported,
    replace: unsupported,
    drop: unsupported,
    reorganise: unsupported,
    // A payment is settled when its payer has the proof.
    mine: async () => {},
    advance: async () => {},
    async fault(fault) {
      server.fault(fault === 'behind' ? null : fault);
    },
    async openOther() {
      leaveNetwork();
      return open();
    },
    async close() {
      for (const adapter of adapters) adapter.close?.();
      await server.stop();
      if (certificateFile) rmSync(dirname(certificateFile), { recursive: true, force: true });
      if (server.violations.length > 0)
        throw new Error(`${name} would not answer so: ${server.violations.join('; ')}`);
    },
  };
}
