import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import { expect } from 'vitest';
import type { DepositTarget } from '@crypto-checkout/chains/adapter';
import type { ContractChain } from '../../../chains/test/contract.ts';
import { processPayouts } from '../../src/payout/sending/process.ts';
import { settle } from '../../src/worker/settle.ts';
import type { PayoutShop, ShownPayout } from './payouts.ts';
import { requireBooks, type ShownInvoice } from './shop.ts';

export interface MoneyChain extends ContractChain {
  kind: string;
  /** The kind of its payouts. Default: `kind`. */
  payoutKind?: string;
  /** A shop whose gateway receives and sends on this chain; its wallet has 10 coins. */
  shop: PayoutShop;
  /** Amount that the chain says an address holds. */
  held(address: string): Promise<Amount>;
  /**
   * Takes one of our transactions out of the mempool, and lets the chain go on until it has run out
   * for ever. Absent on chains whose transactions never run out.
   */
  expire?(txid: string): Promise<void>;
  /** An address of nobody here, without money. */
  stranger(): string;
}

/** An amount above the dust limit of each chain. */
export const PAID = '1';
const FUNDED = '10';

/** A chain and its shop, with the steps that the cases share. */
export class Money {
  readonly chain: MoneyChain;
  readonly shop: PayoutShop;
  readonly kind: Kind;

  constructor(chain: MoneyChain) {
    this.chain = chain;
    this.shop = chain.shop;
    this.kind = kindOf(chain.kind)!;
  }

  get final(): number {
    return CHAINS[this.kind.chain].finalConfirmations;
  }

  invoice(amount = PAID): Promise<ShownInvoice> {
    return this.shop.create({ kind: this.chain.kind, amount, currency: this.kind.symbol });
  }

  async target({ id }: ShownInvoice): Promise<DepositTarget> {
    const { address } = await this.shop.get(id);
    const rows = await this.shop.context.db
      .selectFrom('deposit_target')
      .select('watch_key')
      .where('invoice_id', '=', id)
      .execute();
    return {
      watchKeys: rows.map(({ watch_key }) => watch_key),
      address: address ?? null,
      tag: null,
      xAddress: null,
      publicAddress: null,
      lightning: null,
    };
  }

  async pay(invoice: ShownInvoice, amount = PAID): Promise<string> {
    return this.chain.pay(await this.target(invoice), parseAmount(amount));
  }

  async mine(blocks: number): Promise<void> {
    await this.chain.mine(blocks);
    await this.look();
  }

  async look(): Promise<void> {
    await settle(this.shop.context);
    await requireBooks(this.shop.context);
  }

  /** Looks until a payment without a trace counts as gone. */
  async lookForAMinute(): Promise<void> {
    for (let look = 0; look < 3; look += 1) {
      await this.look();
      await this.chain.advance(30_000);
    }
  }

  /** The price of every invoice has run out, and the chain was read since. */
  async anHourLater(): Promise<void> {
    await this.chain.advance(3_600_000);
    await this.shop.advance(3_600);
    await this.mine(1);
  }

  async expectPaid({ id }: ShownInvoice, paid = PAID): Promise<void> {
    const { status, amount } = await this.shop.get(id);
    expect({ status, paid: amount.paid?.amount }).toEqual({ status: 'complete', paid });
    expect(await this.shop.events(id)).toEqual(
      expect.arrayContaining(['invoice_pending', 'invoice_confirmed', 'invoice_complete']),
    );
  }

  async credit(): Promise<Amount> {
    const { available } = await this.shop.balance(this.kind.asset);
    return parseAmount(available) - parseAmount(FUNDED);
  }

  payOut(address: string, amount = PAID): Promise<ShownPayout> {
    return this.shop.payOut({
      kind: this.chain.payoutKind ?? this.chain.kind,
      recipients: [{ amount, currency: this.kind.symbol, address }],
    });
  }

  async work(blocks = 0): Promise<void> {
    if (blocks > 0) await this.chain.mine(blocks);
    await processPayouts(this.shop.context);
    await requireBooks(this.shop.context);
  }
}
