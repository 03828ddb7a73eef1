import { type ChainId, kindOf } from '@crypto-checkout/protocol/kind';

/** Where a buyer can look a payment up. Main networks only: a test network's transactions are nobody's business elsewhere. */
const EXPLORERS: Partial<Record<ChainId, string>> = {
  bitcoin: 'https://mempool.space/tx/',
  litecoin: 'https://litecoinspace.org/tx/',
  dogecoin: 'https://dogechain.info/tx/',
  liquid: 'https://blockstream.info/liquid/tx/',
  xrp: 'https://livenet.xrpl.org/transactions/',
  ton: 'https://tonviewer.com/transaction/',
  solana: 'https://explorer.solana.com/tx/',
  ethereum: 'https://etherscan.io/tx/',
  base: 'https://basescan.org/tx/',
  arbitrum: 'https://arbiscan.io/tx/',
  polygon: 'https://polygonscan.com/tx/',
  bsc: 'https://bscscan.com/tx/',
  celo: 'https://celoscan.io/tx/',
  tron: 'https://tronscan.org/#/transaction/',
};

export function explorerUrl(kind: string, txid: string, network: string): string | null {
  const chain = kindOf(kind)?.chain;
  const explorer = chain && EXPLORERS[chain];
  return explorer && network === 'mainnet' && /^[\w+/=-]+$/.test(txid) ? `${explorer}${encodeURIComponent(txid)}` : null;
}
