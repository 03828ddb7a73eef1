import { z } from 'zod';
import { amountObject, orNull, timestamp } from './amount.ts';

/** Example values that several resources share. */
export const EXAMPLES = {
  id: '8f1a4a2e-3c1d-4f6a-9d70-5a3e7d5b9c11',
  profileId: '2d1f6c7e-90aa-4b63-8c55-0f6b8f2e4a70',
  accountId: '6a0f2c55-1f3b-4d0e-9a41-7f0c2b9d8e33',
  walletId: 'c1b7d9a0-5e62-4c1f-8f0d-3a9e2b7c6d54',
  time: '2026-11-21T06:00:00.000000+00:00',
  address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  callbackUrl: 'https://shop.example/callbacks',
} as const;

export const id = z
  .string()
  .meta({ description: 'Id, assigned by the service.', examples: [EXAMPLES.id] });

export const kind = z.string().meta({ description: 'Kind of the coin.', examples: ['BTC'] });

export const displayName = z.string().meta({ description: 'Display name.', examples: ['Default'] });

export const network = z.string().meta({
  description: '`testnet` on test networks and in the sandbox, otherwise `mainnet`.',
  examples: ['testnet'],
});

export const createdAt = timestamp.meta({
  description: 'Time of creation.',
  examples: [EXAMPLES.time],
});

export const profileId = z.string().meta({
  description: 'Id of the profile that it was created with.',
  examples: [EXAMPLES.profileId],
});

export const accountId = z
  .string()
  .meta({ description: 'Id of the account that it belongs to.', examples: [EXAMPLES.accountId] });

export const txid = z.string().meta({
  description:
    'Transaction id on the chain. Not unique: one transaction can contain several payments.',
  examples: ['f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16'],
});

export const confirmationCount = z.int().meta({
  description: 'Number of blocks from its own block to the newest; 0 before it is in a block.',
  examples: [0],
});

export const customFee = orNull(amountObject).meta({
  description: 'Custom fee of the merchant, in the coin of `kind`; null without one.',
  examples: [null],
});

export const notes = orNull(z.string()).meta({
  description: 'Note; null without one.',
  examples: [null],
});

export const subKind = orNull(z.string()).meta({
  description: 'Subtype of the kind; null without one.',
  examples: [null],
});
