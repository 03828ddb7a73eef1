import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccount } from '../../account/create.ts';
import { createAutomaticPayout } from '../../automation/payout/create.ts';
import { runAutomaticPayouts } from '../../automation/payout/run.ts';
import { createApp } from '../../app.ts';
import {
  call,
  testAccount,
  type TestAccount,
  type TestAnswer,
} from '../../../test/support/call.ts';
import { ADDRESS, payoutShop, type PayoutShop } from '../../../test/support/payouts.ts';
import type { Io } from '../io.ts';
import { createProgram } from '../program.ts';

let shop: PayoutShop;
let account: TestAccount;
let wallets: Record<string, string>;
let out: string[];
let notes: string[];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const HOUR = 3_600_000;

beforeAll(async () => {
  shop = await payoutShop({ chains: ['bitcoin', 'litecoin', 'ethereum'] });
  account = await testAccount(shop.context);
  const rows = await shop.context.db.selectFrom('wallet').select(['id', 'chain']).execute();
  wallets = Object.fromEntries(rows.map(({ id, chain }) => [chain, id]));
});
afterAll(() => shop.close());
beforeEach(async () => {
  [out, notes] = [[], []];
  await shop.context.db.deleteFrom('automatic_payout').execute();
});

const io: Io = {
  config: () => shop.context.config,
  open: async () => ({ context: shop.context, close: async () => {} }),
  input: () => Buffer.alloc(0),
  out: (line) => out.push(line),
  note: (line) => notes.push(line),
  progress: () => {},
  resolve: async () => [],
};
const run = (...words: string[]): Promise<unknown> =>
  createProgram(io).parseAsync(['automatic-payouts', ...words], { from: 'user' });
/** The result with `--json`. */
const ask = async (...words: string[]) => {
  out = [];
  await run(...words, '--json');
  return JSON.parse(out.join('\n'));
};
/** Over the API, with a key that has the permission. */
const send = (
  method: string,
  id: string,
  members: Record<string, unknown> = {},
): Promise<TestAnswer> =>
  call(createApp(shop.context), account.api, method, `/v1/automatic-payouts/${id}/`, members);
const create = (...more: string[]) =>
  ask('create', wallets['bitcoin']!, ADDRESS.BTC, '--keep', '0.2', ...more);

describe('automatic-payouts', () => {
  it('creates a disabled rule that the API shows and does not change', async () => {
    const made = await create();
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      account_id: shop.accountId,
      wallet: 'Bitcoin wallet',
      kind: 'BTC',
      recipient_address: ADDRESS.BTC,
      keep_amount: '0.2',
      min_amount: '0',
      interval: 60,
      is_enabled: false,
      is_api_editable: false,
      created_by: 'command line',
      next_at: null,
      error: null,
    });
    expect((await send('GET', made.id)).body.result).toMatchObject({
      id: made.id,
      is_enabled: false,
      is_api_editable: false,
    });
    for (const answer of [
      await send('PUT', made.id, { keep_amount: '9' }),
      await send('DELETE', made.id),
    ])
      expect(answer).toMatchObject({
        status: 403,
        body: {
          reason: 'PermissionDenied',
          message:
            "This automatic payout can't be changed over the interface (is_api_editable): only its operator can, on the command line (automatic-payouts).",
        },
      });
    expect(await ask('list')).toEqual([made]);
  });

  it('--api-editable lets the API change a rule; --no-api-editable revokes it', async () => {
    const { id, is_api_editable } = await create('--api-editable');
    expect(is_api_editable).toBe(true);
    expect((await send('PUT', id, { keep_amount: '9' })).body.result).toMatchObject({
      keep_amount: '9',
      is_api_editable: true,
    });
    expect(await ask('update', id, '--no-api-editable')).toMatchObject({
      keep_amount: '9',
      is_api_editable: false,
    });
    expect((await send('PUT', id, { keep_amount: '1' })).status).toBe(403);
    expect(await ask('update', id, '--api-editable')).toMatchObject({ is_api_editable: true });
    expect((await send('DELETE', id)).status).toBe(200);
    expect(await ask('list')).toEqual([]);
  });

  it('other changes keep --api-editable', async () => {
    const [own, open] = [
      await create(),
      await ask('create', wallets['litecoin']!, ADDRESS.LTC, '--keep', '0', '--api-editable'),
    ];
    for (const { id, is_api_editable } of [own, open]) {
      expect(await ask('update', id, '--keep', '3')).toMatchObject({
        is_api_editable,
        keep_amount: '3',
      });
      expect(await ask('enable', id)).toMatchObject({ is_api_editable });
    }
  });

  it('an enabled rule sends the excess after one interval; disable stops it', async () => {
    const { id } = await create('--interval', '120', '--min', '0.5');
    const enabled = await ask('enable', id);
    expect(enabled).toMatchObject({ is_enabled: true, interval: 120, min_amount: '0.5' });
    expect(Date.parse(enabled.next_at) - shop.context.clock.now()).toBe(2 * HOUR);
    await shop.fund('BTC', '1');
    shop.context.clock.advance(2 * HOUR);
    await runAutomaticPayouts(shop.context);
    const payouts = await shop.context.db
      .selectFrom('payout')
      .select(['status', 'reference_id'])
      .execute();
    expect(payouts).toEqual([{ status: 'new', reference_id: expect.stringContaining(id) }]);
    expect(await ask('disable', id)).toMatchObject({ is_enabled: false, next_at: null });
    shop.context.clock.advance(2 * HOUR);
    await runAutomaticPayouts(shop.context);
    expect(await shop.context.db.selectFrom('payout').select('id').execute()).toHaveLength(1);
  });

  it('update changes the given properties only; kinds are case-insensitive', async () => {
    const made = await ask(
      'create',
      wallets['ethereum']!,
      ADDRESS.ETH,
      '--keep',
      '1',
      '--kind',
      'eth_usdt',
      '--enabled',
    );
    expect(made).toMatchObject({
      kind: 'ETH_USDT',
      is_enabled: true,
      next_at: expect.stringMatching(/\+00:00$/),
    });
    expect(
      await ask('update', made.id, '--kind', 'ETH', '--min', '2', '--interval', '5', '--keep', '0'),
    ).toMatchObject({
      ...made,
      kind: 'ETH',
      min_amount: '2',
      interval: 5,
      keep_amount: '0',
      next_at: expect.any(String),
    });
    const other = '0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe';
    expect(await ask('update', made.id, '--to', other)).toMatchObject({
      recipient_address: other,
      kind: 'ETH',
      min_amount: '2',
    });
  });

  it('deletes rules, also those created over the API', async () => {
    const { id } = await createAutomaticPayout(
      shop.context,
      { accountId: shop.accountId, name: 'Shop', overApi: true },
      { wallet: wallets['bitcoin'], keep_amount: '1', recipient_address: ADDRESS.BTC },
    );
    expect(await ask('list')).toMatchObject([{ id, created_by: 'Shop', is_api_editable: true }]);
    expect(await ask('delete', id)).toMatchObject({ id });
    await expect(run('delete', id)).rejects.toThrow(
      `No automatic payout has the id ${id}. List them with: automatic-payouts list`,
    );
    expect((await send('GET', id)).status).toBe(404);
  });

  it('lists the rules of all accounts or of one, newest first, in pages', async () => {
    await run('list');
    expect(notes).toEqual(['There are no automatic payouts.']);
    const other = await createAccount(shop.context, { parentId: null }, { name: 'Other' });
    const { id: wallet } = await shop.context.db
      .selectFrom('wallet')
      .select('id')
      .where('account_id', '=', other.id)
      .where('chain', '=', 'litecoin')
      .executeTakeFirstOrThrow();
    const first = await create();
    const second = await ask('create', wallet, ADDRESS.LTC, '--keep', '0');
    expect(second).toMatchObject({ account_id: other.id, kind: 'LTC' });
    expect(await ask('list')).toEqual([second, first]);
    expect(await ask('list', '--account', other.id)).toEqual([second]);
    expect(await ask('list', '--page', '2')).toEqual([]);
    await sql`insert into automatic_payout (account_id, id, wallet_id, kind, asset, recipient_address, keep_amount, min_amount,
        interval_minutes, is_enabled, is_api_editable, created_by, created_at, updated_at, next_at)
      select account_id, gen_random_uuid(), wallet_id, kind, 'X' || n, recipient_address, keep_amount, min_amount, interval_minutes,
        is_enabled, is_api_editable, created_by, created_at, updated_at, next_at
      from (select * from automatic_payout where id = ${first.id}) one, generate_series(1, 24) n`.execute(
      shop.context.db,
    );
    notes = [];
    expect(await ask('list')).toHaveLength(25);
    expect(notes).toEqual(['Showing 25; see older ones with: --page 2']);
    expect(await ask('list', '--page', '2')).toEqual([first]);
  });

  it('prints a table for lists and lines for one rule', async () => {
    await create();
    out = [];
    await run('list');
    expect(out[0]).toMatch(
      /^id +account id +wallet +kind +recipient address +keep amount +min amount +interval +is enabled +is api editable/,
    );
    expect(out[1]).toMatch(
      / Bitcoin wallet +BTC +tb1q\w+ +0\.2 +0 +60 +false +false +command line +– +–$/,
    );
    expect(out).toHaveLength(2);
  });

  it.each([
    [
      ['create', 'nobody', ADDRESS.BTC, '--keep', '1'],
      /^No wallet has the id nobody. List them with: wallets list$/,
    ],
    [['create', UNKNOWN, ADDRESS.BTC, '--keep', '1'], /^No wallet has the id 0+-/],
    [['create', 'BITCOIN', ADDRESS.BTC], /required option '--keep <amount>' not specified/],
    [
      ['create', 'BITCOIN', ADDRESS.LTC, '--keep', '1'],
      /^The address is not one of Bitcoin on testnet: "tltc1q/,
    ],
    [['create', 'BITCOIN', '', '--keep', '1'], /^The address must /],
    [
      ['create', 'BITCOIN', ADDRESS.BTC, '--keep', '-1'],
      /^--keep takes an amount such as 0\.5, not "-1"\.$/,
    ],
    [
      ['create', 'BITCOIN', ADDRESS.BTC, '--keep', '1', '--min', '1e3'],
      /^--min takes an amount such as 0\.5, not "1e3"\.$/,
    ],
    [
      ['create', 'BITCOIN', ADDRESS.BTC, '--keep', '0.123456789'],
      /^--keep may have at most 8 decimals, as BTC/,
    ],
    [
      ['create', 'BITCOIN', ADDRESS.BTC, '--keep', '1', '--kind', 'ETH'],
      /^--kind takes BTC, BTC_P2SH or BTC_BECH32, not "ETH"\.$/,
    ],
    [
      ['create', 'LITECOIN', ADDRESS.LTC, '--keep', '1', '--kind', 'nope'],
      /^--kind takes LTC, not "nope"\.$/,
    ],
    [
      ['create', 'BITCOIN', ADDRESS.BTC, '--keep', '1', '--interval', '7'],
      /^--interval takes 5, 10, .*240 or 360, not "7"\.$/,
    ],
    [
      ['create', 'BITCOIN', ADDRESS.BTC, '--keep', '1', '--account', UNKNOWN],
      /^No account has the id/,
    ],
    [
      ['update', 'RULE'],
      /^Give at least one of --to, --keep, --min, --kind, --interval, --api-editable and --no-api-editable\.$/,
    ],
    [
      ['update', 'RULE', '--kind', 'LTC'],
      /^--kind takes BTC, BTC_P2SH or BTC_BECH32, not "LTC"\.$/,
    ],
    [['update', 'RULE', '--kind', ''], /^--kind takes BTC, .*, not ""\.$/],
    [['update', 'RULE', '--to', ''], /^The address must /],
    [['update', 'RULE', '--to', ADDRESS.ETH], /^The address is not one of Bitcoin/],
    [['update', 'RULE', '--keep', 'all'], /^--keep takes an amount such as 0\.5, not "all"\.$/],
    [['update', 'RULE', '--interval', 'hourly'], /not "hourly"\.$/],
    [
      ['update', 'nobody', '--keep', '1'],
      /^No automatic payout has the id nobody\. List them with: automatic-payouts list$/,
    ],
    [
      ['enable', UNKNOWN],
      /^No automatic payout has the id 0+-.*\. List them with: automatic-payouts list$/,
    ],
    [['disable', 'nobody'], /^No automatic payout has the id nobody/],
    [['delete', 'nobody'], /^No automatic payout has the id nobody/],
    [['list', '--account', 'nobody'], /^--account takes an account's id, not "nobody"/],
    [['list', '--page', '0'], /from 1, not "0"/],
  ])('rejects bad input with the allowed values: %j', async (words, message) => {
    const { id } = await create();
    out = [];
    const meant: Record<string, string> = {
      BITCOIN: wallets['bitcoin']!,
      LITECOIN: wallets['litecoin']!,
      RULE: id,
    };
    await expect(run(...words.map((word) => meant[word] ?? word))).rejects.toThrow(message);
    expect(out).toEqual([]);
    expect((await ask('list')).map((one: { id: string }) => one.id)).toEqual([id]);
  });

  it('refuses a second rule for a coin of a wallet, and a wallet of another account', async () => {
    await create();
    await expect(
      run('create', wallets['bitcoin']!, ADDRESS.BTC, '--keep', '1', '--kind', 'BTC_P2SH'),
    ).rejects.toThrow(
      'The wallet already has an automatic payout for BTC; only one per kind is allowed.',
    );
    const { id } = await createAccount(shop.context, { parentId: null }, { name: 'Another' });
    await expect(
      run('create', wallets['litecoin']!, ADDRESS.LTC, '--keep', '1', '--account', id),
    ).rejects.toThrow('There is no wallet with this id.');
  });

  it('every command has --help', async () => {
    for (const command of ['list', 'create', 'update', 'enable', 'disable', 'delete'])
      await expect(run(command, '--help')).rejects.toMatchObject({ exitCode: 0 });
    expect(out.join('\n')).toMatch(/--api-editable +the API may change the rule too/);
    expect(out.join('\n')).toMatch(/--interval <minutes> +5, 10, 15, 30, 60, 120, 240, 360/);
  });
});
