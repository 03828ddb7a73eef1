import { NETWORKS } from '@crypto-checkout/protocol/status';
import type { Words } from './word.ts';

const ID = '8f1a4a2e-3c1d-4f6a-9d70-5a3e7d5b9c11';
const AT = '2026-11-21T06:00:00.000000+00:00';

/** Members that mean the same in every resource, by their last name. */
export const COMMON_WORDS: Words = {
  result: 'What was asked for.',
  pagination: 'Where this page is in the list.',
  id: { text: 'The service’s id.', example: ID },
  kind: { text: 'Kind of the coin (§2.1).', example: 'BTC' },
  name: { text: 'A name for people.', example: 'Default' },
  network: { text: '`testnet` on test networks and in the sandbox.', example: 'testnet', values: NETWORKS },
  created_at: { text: 'When it was created.', example: AT },
  profile_id: { text: 'The profile it was created with.', example: '2d1f6c7e-90aa-4b63-8c55-0f6b8f2e4a70' },
  account_id: { text: 'The account it belongs to.', example: '6a0f2c55-1f3b-4d0e-9a41-7f0c2b9d8e33' },
  wallet_id: { text: 'The wallet.', example: 'c1b7d9a0-5e62-4c1f-8f0d-3a9e2b7c6d54' },
  amount: { text: 'A decimal, as text.', example: '19.90' },
  currency: { text: 'Symbol of a currency or a coin.', example: 'USD' },
  custom_fee: 'Fee of the merchant’s own, in the coin of `kind`; null without one.',
  txid: {
    text: 'The blockchain’s id. Not unique: one transaction can pay several times.',
    example: 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16',
  },
  address: { text: 'An address on the chain of the coin.', example: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' },
  confirmations: { text: 'Blocks since, its own counted; 0 before it is in one.', example: 0 },
  notes: { text: 'A note, or null.', example: null },
  passthrough: { text: 'Text of the caller’s, returned unchanged and sent with every callback; null without one.', example: 'order 1001' },
  reference_id: { text: 'The caller’s own reference; null without one.', example: 'payout-1001' },
  sub_kind: { text: 'A finer kind, where there is one.', example: null },
};

/** What a status can be; a reader must accept others. */
export const oneOf = (values: readonly string[]): string => `One of ${values.map((value) => `\`${value}\``).join(', ')}; accept others.`;
