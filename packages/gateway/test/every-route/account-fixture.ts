import { randomUUID } from 'node:crypto';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import type { Hono } from 'hono';
import { sql } from 'kysely';
import { createAccount } from '../../src/account/create.ts';
import { PERMISSIONS, type Permission } from '../../src/account/keys/permission.ts';
import { payInvoice } from '../../src/sandbox/pay.ts';
import { createSandboxWorld } from '../../src/sandbox/world.ts';
import { scanChain } from '../../src/engine/scan.ts';
import type { Context } from '../../src/context.ts';
import { timestamp, transact } from '../../src/database/database.ts';
import type { Env } from '../../src/http/env.ts';
import { call, type TestAnswer, type TestKey } from '../support/call.ts';
import { post } from '../../src/ledger/post.ts';

/** An account with one resource of each type, created through the API. */
export interface AccountFixture {
  accountId: string;
  profileId: string;
  /** Wallet ids by chain. */
  wallets: ReadonlyMap<ChainId, string>;
  /** Has every permission except `payouts:approve`. */
  key: TestKey;
  /** Has every read permission and `payouts:approve`. */
  approver: TestKey;
  /** Resource ids by path segment, such as `invoices`. */
  ids: Record<string, string>;
  /** Final transactions of too much money, without a refund. */
  refundable: string[];
  request(
    method: string,
    path: string,
    members?: Record<string, unknown>,
    key?: TestKey,
  ): Promise<TestAnswer>;
  /** Adds a key with these permissions to the account. */
  addKey(permissions: readonly Permission[], maxPayout?: string): Promise<TestKey>;
}

export const ADDRESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
const FUNDED = ['BTC', 'ETH', 'LTC', 'DOGE', 'XRP', 'TRX', 'SOL', 'POL', 'BNB', 'TON'] as const;

export async function createAccountFixture(
  context: Context,
  app: Hono<Env>,
  name: string,
): Promise<AccountFixture> {
  const { id: accountId, profiles } = await createAccount(context, {}, { name });
  const { rows } = await sql<{
    id: string;
    chain: ChainId;
  }>`select id, chain from wallet where account_id = ${accountId}`.execute(context.db);
  const wallets = new Map(rows.map(({ id, chain }) => [chain, id]));
  const addKey: AccountFixture['addKey'] = (permissions, maxPayout) =>
    insertKey(context, accountId, permissions, maxPayout ?? null);
  const key = await addKey(PERMISSIONS.filter((permission) => permission !== 'payouts:approve'));
  const approver = await addKey(
    PERMISSIONS.filter(
      (permission) => permission.endsWith(':read') || permission === 'payouts:approve',
    ),
  );
  const account: AccountFixture = {
    accountId,
    profileId: profiles[0]!,
    wallets,
    key,
    approver,
    ids: {},
    refundable: [],
    request: (method, path, members = {}, signer = key) => call(app, signer, method, path, members),
    addKey,
  };
  await sql`update profile set callback_url = 'https://shop.example/callbacks' where id = ${account.profileId}`.execute(
    context.db,
  );
  await fund(context, account);
  await createResources(context, account);
  return account;
}

/**
 * Creates the resources in `ids`. A paid invoice creates the transaction, which has no POST route.
 */
async function createResources(context: Context, account: AccountFixture): Promise<void> {
  const { ids, profileId, accountId, wallets } = account;
  const make = async (noun: string, payload: Record<string, unknown>): Promise<void> => {
    const { status, body } = await account.request('POST', `/v1/${noun}/`, payload);
    // An app without these routes: the test that needs the resource fails by itself.
    if (status === 404) return;
    if (status !== 201) throw new Error(`${noun}: ${status} ${JSON.stringify(body)}`);
    ids[noun] = body.result.id;
  };
  const btc = wallets.get('bitcoin');
  const eth = wallets.get('ethereum');
  const pair = { from_wallet: btc, from_kind: 'BTC', to_wallet: eth, to_kind: 'ETH' };
  const limits = { min_amount: '0.1', max_amount: '1', keep_amount: '0.5' };
  await make('invoices', { profile_id: profileId, amount: '10', currency: 'USD', kind: 'BTC' });
  await make('payouts', {
    profile_id: profileId,
    kind: 'BTC',
    recipients: [{ amount: '0.1', currency: 'BTC', address: ADDRESS }],
  });
  await make('conversions', { ...pair, amount: '0.2' });
  await make('automatic-conversions', { ...pair, ...limits });
  await make('automatic-funding', { ...pair, ...limits });
  await make('automatic-payouts', {
    wallet: btc,
    kind: 'BTC',
    keep_amount: '1',
    recipient_address: ADDRESS,
  });
  await make('accounts', { name: 'Sub account' });
  await make('api-keys', {
    name: 'A key',
    account_id: ids['accounts'] ?? accountId,
    permissions: ['invoices:read'],
  });
  ids['profiles'] = profileId;
  ids['wallets'] = btc!;
  const world = createSandboxWorld(context);
  await payInvoice(context, world, { invoiceId: ids['invoices']! });
  await world.mine('bitcoin', 1);
  await scanChain(context, 'bitcoin');
  const { rows } = await sql<{
    id: string;
  }>`select id from transaction where account_id = ${accountId} and invoice_id = ${ids['invoices']}`.execute(
    context.db,
  );
  ids['transactions'] = rows[0]!.id;
  const [refunded, ...refundable] = await overpay(context, account);
  account.refundable = refundable;
  await make('refunds', { transaction_id: refunded, address: LITECOIN_ADDRESS });
}

export const LITECOIN_ADDRESS = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';

const OVERPAID = 7;

/** Final payments of too much, on another chain than the payment that stays unconfirmed. */
async function overpay(
  context: Context,
  { request, profileId }: AccountFixture,
): Promise<string[]> {
  const world = createSandboxWorld(context);
  const terms = { profile_id: profileId, amount: '10', currency: 'USD', kind: 'LTC' };
  const invoices: string[] = [];
  for (let number = 0; number < OVERPAID; number += 1) {
    const { body } = await request('POST', '/v1/invoices/', terms);
    if (body.result === undefined) return [];
    invoices.push(body.result.id);
    await payInvoice(context, world, { invoiceId: body.result.id, amount: '0.5' });
  }
  await scanChain(context, 'litecoin');
  await world.mine('litecoin', 6);
  await scanChain(context, 'litecoin');
  const { rows } = await sql<{ id: string }>`
    select id from transaction where invoice_id = any(${invoices}::uuid[]) order by number`.execute(
    context.db,
  );
  return rows.map(({ id }) => id);
}

async function insertKey(
  { db, secrets }: Context,
  accountId: string,
  permissions: readonly Permission[],
  maxPayout: string | null,
): Promise<TestKey> {
  const id = randomUUID();
  const key = { key: `ck_${randomUUID()}`, secret: randomUUID() };
  await sql`
    insert into api_key (account_id, id, api_key, secret_sealed, name, created_by, created_at, updated_at, permissions, is_integrator_key,
      nonce_window, max_payout)
    values (${accountId}, ${id}, ${key.key}, ${secrets.seal(key.secret, id)}, 'Test', 'test', now(), now(), ${[...permissions]}::text[],
      true, true, ${maxPayout}::numeric)`.execute(db);
  return key;
}

async function fund({ db, clock }: Context, { accountId, wallets }: AccountFixture): Promise<void> {
  const amount = parseAmount('100');
  for (const kind of FUNDED) {
    const walletId = wallets.get(kindOf(kind)!.chain);
    if (walletId === undefined) continue;
    await transact(db, (trx) =>
      post(trx, {
        accountId,
        reason: 'test_funds',
        resourceId: randomUUID(),
        at: timestamp(clock.now()),
        lines: [
          { book: 'wallet', walletId, bucket: 'available', currency: kindOf(kind)!.asset, amount },
          { book: 'chain', currency: kindOf(kind)!.asset, amount: -amount },
        ],
      }),
    );
  }
}
