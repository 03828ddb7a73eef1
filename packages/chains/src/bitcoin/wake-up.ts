import { subscribeZmq } from '../rpc/zmq.ts';

/** Topics of Bitcoin Core's publishers (doc/zmq.md), whichever the operator has set. */
const TOPICS = ['hashtx', 'rawtx', 'hashblock', 'rawblock'];
/** A busy mempool must not make a look follow the next without a pause. */
const MIN_INTERVAL_MS = 250;

export interface WakeUp {
  /** Calls the listener when the node may have something new. Returns the function that ends it. */
  onNews(listener: () => void): () => void;
}

export interface WakeUpOptions {
  /** Of the publishers of one node. */
  urls: readonly string[];
  subscribe?: typeof subscribeZmq;
}

/**
 * Wakes the scan by the messages of a node's publishers. Their content is not read: a message that
 * is wrong, or that never comes, changes only when the next look begins.
 */
export function createWakeUp({ urls, subscribe = subscribeZmq }: WakeUpOptions): WakeUp {
  return {
    onNews(listener) {
      let timer: NodeJS.Timeout | null = null;
      let isDue = false;
      /** At once after a quiet time, otherwise when the interval has passed. */
      function wake(): void {
        isDue = timer !== null;
        if (isDue) return;
        listener();
        timer = setTimeout(() => {
          timer = null;
          if (isDue) wake();
        }, MIN_INTERVAL_MS).unref();
      }
      const ends = urls.map((url) => subscribe({ url, topics: TOPICS, onMessage: wake }));
      return () => {
        for (const end of ends) end();
        if (timer !== null) clearTimeout(timer);
      };
    },
  };
}
