/**
 * The queue of one API key. The service rejects a nonce that does not increase, so the calls of one
 * key are sent one after another, each with a greater nonce than the last in this process.
 */
export class NonceQueue {
  /** Calls in progress or waiting. */
  pending = 0;
  #last = 0n;
  #tail: Promise<unknown> = Promise.resolve();

  /**
   * Sends in turn, or at once if the key accepts nonces in any order.
   * @param send receives its nonce at its turn
   */
  async run<T>(
    send: (nonce: bigint) => Promise<T>,
    source: () => bigint,
    anyOrder: boolean,
  ): Promise<T> {
    this.pending++;
    const turn = anyOrder ? Promise.resolve() : this.#tail;
    const sent = turn.then(() => send(this.#next(source())));
    if (!anyOrder) this.#tail = sent.catch(() => undefined);
    try {
      return await sent;
    } finally {
      this.pending--;
    }
  }

  #next(proposed: bigint): bigint {
    this.#last = proposed > this.#last ? proposed : this.#last + 1n;
    return this.#last;
  }
}

/** All clients in this process share the queue of a key. */
const queues = new Map<string, NonceQueue>();

export function nonceQueueFor(baseUrl: string, key: string): NonceQueue {
  const name = `${baseUrl} ${key}`;
  const queue = queues.get(name) ?? new NonceQueue();
  queues.set(name, queue);
  return queue;
}
