import type {
  ChainAdapter,
  Cursor,
  DepositTarget,
  Observation,
  OpenTransaction,
  ScanEvent,
  ScanResult,
} from '../../src/adapter.ts';
import type { ContractChain } from '../contract.ts';

/** A payment as the events so far describe it. */
export interface ObservedPayment extends Observation {
  state: 'mempool' | 'block' | 'gone' | 'replaced' | 'failed';
  /** Txid of the transaction that replaced it. */
  by: string | null;
}

/** Scans a chain from look to look, and keeps the payments as the events describe them. */
export class Observer {
  /** In the order in which they were first seen. */
  payments: ObservedPayment[] = [];
  cursor: Cursor | null = null;
  #adapter: ChainAdapter;
  #watched = new Set<string>();
  readonly #chain: ContractChain;

  private constructor(chain: ContractChain, adapter: ChainAdapter) {
    this.#chain = chain;
    this.#adapter = adapter;
  }

  /** Opens the chain and reads up to its newest block. */
  static async begin(chain: ContractChain): Promise<Observer> {
    const observer = new Observer(chain, await chain.open());
    await observer.look();
    return observer;
  }

  /** The only payment so far. */
  get payment(): ObservedPayment {
    const [payment, ...more] = this.payments;
    if (payment === undefined || more.length > 0)
      throw new Error(`${this.payments.length} payments were observed`);
    return payment;
  }

  /** Returns a new deposit target, whose payments are reported from now on. */
  async watch(): Promise<DepositTarget> {
    const target = await this.#chain.target();
    this.watchTarget(target);
    return target;
  }

  /** Reports payments to this target from now on. */
  watchTarget({ watchKeys }: DepositTarget): void {
    for (const key of watchKeys) this.#watched.add(key);
  }

  /** Continues with another adapter of the chain. */
  use(adapter: ChainAdapter): void {
    this.#adapter = adapter;
  }

  /** Opens a new adapter, which continues from this cursor. */
  async restart(cursor = this.cursor): Promise<void> {
    this.#adapter = await this.#chain.open();
    this.cursor = cursor;
    if (cursor !== null) this.payments = this.payments.filter(isUpTo(cursor.height));
  }

  async look(maxBlocks = 100): Promise<ScanResult> {
    // As the database stores it.
    const from = JSON.parse(JSON.stringify(this.cursor)) as Cursor | null;
    const result = await this.#adapter.scan(from, this.#match, {
      maxBlocks,
      open: this.#open(),
      watched: async () => [...this.#watched],
      signal: AbortSignal.timeout(20_000),
    });
    for (const event of result.events) this.#apply(event);
    this.cursor = result.cursor;
    return result;
  }

  async lookToTip(maxBlocks: number): Promise<ScanResult[]> {
    const results: ScanResult[] = [];
    do results.push(await this.look(maxBlocks));
    while (!results.at(-1)!.caughtUp && results.length < 100);
    return results;
  }

  #match = async (keys: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set(keys.filter((key) => this.#watched.has(key)));

  #open(): OpenTransaction[] {
    return this.payments.filter(({ state }) => state !== 'replaced' && state !== 'failed');
  }

  #apply(event: ScanEvent): void {
    if (event.type === 'unexplained' || event.type === 'unlisted') return;
    if (event.type === 'observed') return this.#observe(event.observation);
    if (event.type === 'rollback') {
      for (const payment of this.payments)
        if (!isUpTo(event.toHeight)(payment))
          Object.assign(payment, { state: 'mempool', block: null });
      return;
    }
    const payment = this.payments.find(({ key }) => key === event.key);
    if (payment === undefined) throw new Error(`${event.type} of the unknown ${event.key}`);
    payment.block = null;
    payment.state = event.type === 'conflict' ? 'replaced' : event.type;
    if (event.type === 'conflict') payment.by = event.by;
  }

  #observe(observation: Observation): void {
    const state = observation.block === null ? 'mempool' : 'block';
    const known = this.payments.find(({ key }) => key === observation.key);
    if (known === undefined) this.payments.push({ ...observation, state, by: null });
    else Object.assign(known, observation, { state, by: null });
  }
}

const isUpTo =
  (height: number) =>
  ({ block }: Observation): boolean =>
    block === null || block.height <= height;
