/**
 * The way of one API key to the service. The service refuses a nonce that does not increase, so calls of one key are sent one after
 * another, each with a greater nonce than any before it in this process.
 */
export class Lane {
  /** Calls under way or waiting. */
  pending = 0;
  #last = 0n;
  #tail: Promise<unknown> = Promise.resolve();

  /**
   * Sends in turn, or at once when the key takes nonces in any order.
   * @param send gets its nonce when it is its turn.
   */
  async run<T>(send: (nonce: bigint) => Promise<T>, source: () => bigint, anyOrder: boolean): Promise<T> {
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

/** Lanes are shared by all clients of this process that use the same key. */
const lanes = new Map<string, Lane>();

export function laneOf(baseUrl: string, key: string): Lane {
  const name = `${baseUrl} ${key}`;
  const known = lanes.get(name) ?? new Lane();
  lanes.set(name, known);
  return known;
}
