import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import { sentWallet, updateWallet } from '@crypto-checkout/protocol/schema/wallet';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import type { Operation } from '../http/operation.ts';
import { filters } from '../http/payload.ts';
import { findProfile } from '../profile/store.ts';
import { presentWallet } from './present.ts';
import { setAddressFormat } from './set-address-format.ts';
import { findWallet, listWallets } from './store.ts';

const LIST = {
  summary: 'List wallets',
  description: 'All wallets of the account, or those of a profile, oldest first.',
  source: 'Wallets',
  filters: ['profile_id'],
  answer: listOf(sentWallet),
  reasons: ['NotFound'],
} satisfies Operation;
const GET = {
  summary: 'Get a wallet',
  description: 'Returns the wallet itself, without `result`, unlike all other reads.',
  source: 'Wallets',
  answer: sentWallet,
} satisfies Operation;
const UPDATE = {
  summary: 'Set the address format of a bitcoin wallet',
  description:
    'Sets the form of new addresses of kind BTC. Addresses of BTC_P2SH and BTC_BECH32 do not change.',
  source: 'Wallets',
  isExtension: true,
  payload: updateWallet,
  answer: resultOf(sentWallet),
  reasons: ['InvalidState'],
} satisfies Operation;

export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();
  const { db } = context;

  app.get('/v1/wallets/', authorized('wallets:read', LIST), async (c) => {
    const { profile_id: profileId } = filters(c, LIST.filters);
    const accountId = c.get('account').id;
    const exists =
      profileId === undefined ||
      (isUuid(profileId) && (await findProfile(db, accountId, profileId)) !== null);
    if (!exists) throw new ServiceError('NotFound', 'There is no profile with this id.');
    const wallets = await listWallets(db, accountId, profileId ?? null);
    return c.json({ result: wallets.map(presentWallet) });
  });

  app.get('/v1/wallets/:id/', authorized('wallets:read', GET), async (c) => {
    const id = c.req.param('id');
    const found = isUuid(id) ? await findWallet(db, c.get('account').id, id) : null;
    if (!found) throw new ServiceError('NotFound', 'There is no wallet with this id.');
    return c.json(presentWallet(found));
  });

  app.put('/v1/wallets/:id/', authorized('wallets:write', UPDATE), async (c) =>
    c.json({
      result: presentWallet(
        await setAddressFormat(context, c.get('account').id, c.req.param('id'), c.get('payload')),
      ),
    }),
  );

  return app;
}
