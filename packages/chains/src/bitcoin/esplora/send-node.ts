import { UnavailableError } from '../../error.ts';
import type { UtxoChainId } from '../network.ts';
import { parseRawTransaction } from '../raw.ts';
import { USUAL_RELAY_RATES } from '../relay-rates.ts';
import type { BitcoinSendNode, Unspent } from '../send/send-node.ts';
import type { BitcoinTransaction } from '../transaction.ts';
import { ancestorsOf } from './ancestors.ts';
import { hash, outspend, status } from './answers.ts';
import { createEsploraBlocks } from './blocks.ts';
import type { Esplora } from './client.ts';
import { estimatedRate } from './fee-rate.ts';
import { inParallel } from './in-parallel.ts';
import { hashAt } from './node.ts';

/**
 * The calls that sending needs, to a service with Esplora's interface. It has no test before a
 * broadcast and gives no lowest rate, so a transaction that pays too little is refused at its
 * broadcast.
 */
export function createEsploraSendNode(esplora: Esplora, chain: UtxoChainId): BitcoinSendNode {
  const { block } = createEsploraBlocks(esplora);
  const height = (): Promise<number> => tipHeight(esplora);
  return {
    height,
    hashAt: (at) => hashAt(esplora, at),
    async transactionsAt(at) {
      const id = await hashAt(esplora, at);
      return id === null ? [] : ((await block(id))?.transactions ?? []);
    },
    estimateRate: (blocks) => estimatedRate(esplora, blocks),
    relayRates: async () => ({ least: USUAL_RELAY_RATES[chain], step: USUAL_RELAY_RATES[chain] }),
    async unspent(outpoints, withMempool) {
      const tip = await height();
      return inParallel(outpoints, (outpoint) => unspentOf(esplora, outpoint, tip, withMempool));
    },
    async transactionOf(outpoint) {
      const [txid = ''] = outpoint.split(':');
      const found = await rawOf(esplora, txid);
      if (found === null)
        throw new UnavailableError(`The service does not have the transaction ${txid}`);
      return found.raw;
    },
    ancestors: (txid) => ancestorsOf(esplora, txid),
    testAcceptance: async () => null,
    async send(raw) {
      const txid = await esplora.broadcast(raw);
      if (hash.safeParse(txid).success) return txid;
      throw new UnavailableError('The service returned no id of the transaction');
    },
  };
}

async function tipHeight(esplora: Esplora): Promise<number> {
  const text = (await esplora.text('/blocks/tip/height')) ?? '';
  if (!/^\d{1,9}$/.test(text)) throw new UnavailableError('The service returned no height');
  return Number(text);
}

/** The bytes of a transaction, which must have its id. */
async function rawOf(
  esplora: Esplora,
  txid: string,
): Promise<{ raw: string; transaction: BitcoinTransaction } | null> {
  const raw = await esplora.text(`/tx/${txid}/hex`);
  if (raw === null) return null;
  const transaction = parseRawTransaction(raw);
  if (transaction.txid === txid) return { raw, transaction };
  throw new UnavailableError(`The service returned another transaction for ${txid}`);
}

/** Amount and script come from the verified bytes; the rest is the claim of the service. */
async function unspentOf(
  esplora: Esplora,
  outpoint: string,
  tip: number,
  withMempool: boolean,
): Promise<Unspent | null> {
  const [txid = '', index = ''] = outpoint.split(':');
  const found = await rawOf(esplora, txid);
  const place = found && (await esplora.json(`/tx/${txid}/status`, status));
  const output = found?.transaction.outputs[Number(index)];
  if (found === null || place === null || output === undefined) return null;
  if (!place.confirmed && !withMempool) return null;
  const spending = await esplora.json(`/tx/${txid}/outspend/${index}`, spentBy);
  if (spending === null)
    throw new UnavailableError(`The service does not state whether ${outpoint} is spent`);
  const isInBlock = spending.status?.confirmed === true;
  if (spending.spent && (withMempool || isInBlock)) return null;
  return {
    confirmations: place.confirmed ? confirmationsAt(place.block_height, tip) : 0,
    units: output.units,
    script: output.script,
    isCoinbase: found.transaction.inputs.length === 0,
  };
}

const spentBy = outspend.extend({ status: status.nullish() });

function confirmationsAt(height: number | null | undefined, tip: number): number {
  if (height == null) throw new UnavailableError('The service names no block of a transaction');
  // The tip was read earlier, so the block can be above it.
  return Math.max(1, tip - height + 1);
}
