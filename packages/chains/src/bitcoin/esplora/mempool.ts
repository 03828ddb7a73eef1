import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { OpenTransaction } from '../../adapter.ts';
import { RefusedError } from '../../rpc/http.ts';
import type { Mempool, MempoolLook, MempoolView } from '../mempool.ts';
import type { UtxoChainId } from '../network.ts';
import { parseRawTransaction } from '../raw.ts';
import { type BitcoinTransaction, signals } from '../transaction.ts';
import { type EsploraTransaction, outspend, status, transactions } from './answers.ts';
import type { Esplora } from './client.ts';
import { inParallel } from './in-parallel.ts';

/** Addresses, and payments, that one look asks for; the next look continues with the others. */
const MAX_ASKED = 100;
/** Inputs of a payment that are looked at for the transaction that replaced it. */
const MAX_INPUTS = 20;

/**
 * The unconfirmed payments to the addresses that can be paid now: a public service has no other
 * way, because a whole mempool is too much to read for each look.
 */
export function createEsploraMempool(esplora: Esplora, chain: UtxoChainId): Mempool {
  const addressTurn = createTurn();
  const paymentTurn = createTurn();
  return {
    async read({ watched, unmined, signal }: MempoolLook): Promise<MempoolView> {
      const addresses = addressTurn(addressesOf(chain, (await watched?.()) ?? []));
      const lists = await inParallel(addresses, (address) => {
        signal.throwIfAborted();
        return unconfirmedOf(esplora, address);
      });
      const found = new Map(lists.flat().map((one) => [one.txid, one]));
      const unseen = paymentTurn(unmined.filter(({ txid }) => !found.has(txid)));
      const missing = new Set<string>();
      const spenders = new Map<string, string>();
      await inParallel(unseen, async (payment) => {
        signal.throwIfAborted();
        if ((await esplora.json(`/tx/${payment.txid}/status`, status)) !== null) return;
        missing.add(payment.txid);
        const rival = await rivalOf(esplora, payment);
        if (rival !== null) spenders.set(rival.outpoint, rival.txid);
      });
      return {
        transactions: found.values(),
        // One that was not asked for this time has not left the mempool.
        has: (txid) => !missing.has(txid),
        spender: (outpoint) => spenders.get(outpoint),
      };
    },
  };
}

const addressesOf = (chain: UtxoChainId, watchKeys: readonly string[]): string[] => {
  const prefix = `${CHAINS[chain].keyGroup}:`;
  return watchKeys.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
};

/** Returns a part of the items at each call, so that all have their turn. */
function createTurn(): <T>(items: readonly T[]) => T[] {
  let next = 0;
  return (items) => {
    if (next >= items.length) next = 0;
    const part = [...items.slice(next), ...items.slice(0, next)].slice(0, MAX_ASKED);
    next += MAX_ASKED;
    return part;
  };
}

/**
 * A service refuses single addresses, such as one with too many payments; others are not held up.
 */
async function unconfirmedOf(esplora: Esplora, address: string): Promise<BitcoinTransaction[]> {
  try {
    const found = await esplora.json(`/address/${address}/txs/mempool`, transactions);
    return (found ?? []).filter((one) => !one.status.confirmed).map(transactionOf);
  } catch (error) {
    if (error instanceof RefusedError) return [];
    throw error;
  }
}

const transactionOf = ({ txid, vin, vout }: EsploraTransaction): BitcoinTransaction => ({
  txid,
  inputs: vin.flatMap((input) => (input.is_coinbase ? [] : [`${input.txid}:${input.vout}`])),
  outputs: vout.map(({ scriptpubkey, value }, index) => ({
    index,
    script: scriptpubkey,
    units: value,
  })),
  signalsReplacement: signals(vin.map(({ sequence }) => sequence)),
});

/** Another transaction that spends an input of a payment, as its own bytes show. */
async function rivalOf(
  esplora: Esplora,
  { txid, conflicts }: OpenTransaction,
): Promise<{ outpoint: string; txid: string } | null> {
  for (const outpoint of conflicts.slice(0, MAX_INPUTS)) {
    const [spent = '', index = ''] = outpoint.split(':');
    const by = (await esplora.json(`/tx/${spent}/outspend/${index}`, outspend))?.txid;
    if (by == null || by === txid) continue;
    const raw = await esplora.text(`/tx/${by}/hex`);
    if (raw === null) continue;
    const rival = parseRawTransaction(raw);
    if (rival.txid === by && rival.inputs.includes(outpoint)) return { outpoint, txid: by };
  }
  return null;
}
