import { expect, test } from '@playwright/test';
import { missingPrograms, startRealNodes, type RealNodes } from '../support/real-nodes.ts';
import { call } from '../support/signed-call.ts';
import { Stack, until } from '../support/stack.ts';

/** `npm test` draws a few; `npm run nightly` runs all. */
const KILLS = process.env['NIGHTLY'] === '1' ? 50 : 4;
/** A payout usually takes less from its creation to its broadcast. */
const LONGEST_MS = 900;

test.skip(missingPrograms.length > 0, `not installed: ${missingPrograms.join(', ')}`);

const ON_CHAIN = 'BTC';
const LIGHTNING = 'BTC_LIGHTNING_TO_LIGHTNING';

/** litecoind refuses less as dust; the channel holds many payments. */
const LEAST: Readonly<Record<string, number>> = { [ON_CHAIN]: 0.0001, [LIGHTNING]: 0.00002 };

interface Payout {
  id: string;
  kind: string;
  address: string;
  amount: string;
}

/** Puts 0.01 BTC on the shop's wallet, final. */
async function fund(stack: Stack, nodes: RealNodes): Promise<void> {
  const { profile_id } = stack.credentials;
  const payload = { profile_id, kind: ON_CHAIN, amount: '0.01', currency: 'BTC' };
  const { address, id } = (await call(stack, 'POST', '/v1/invoices/', payload)).body.result;
  const tx = await nodes.electrum('payto', { destination: address, amount: '0.01', feerate: 5 });
  await nodes.electrum('broadcast', { tx });
  await nodes.mine(6);
  await until('the funds', async () => {
    const { body } = await call(stack, 'GET', `/v1/invoices/${id}/`);
    return body.result.status === 'complete';
  });
}

/** A recipient of Electrum, with an amount that no other payout has. */
async function recipient(nodes: RealNodes, kind: string, number: number) {
  const amount = (LEAST[kind]! + number / 1e8).toFixed(8);
  if (kind === ON_CHAIN)
    return { amount, address: await nodes.electrum<string>('createnewaddress') };
  const request = { amount, memo: `payout ${number}` };
  const { lightning_invoice } = await nodes.electrum<{ lightning_invoice: string }>(
    'add_request',
    request,
  );
  return { amount, address: lightning_invoice };
}

async function createPayout(stack: Stack, nodes: RealNodes, number: number): Promise<Payout> {
  const kind = number % 2 ? LIGHTNING : ON_CHAIN;
  const to = await recipient(nodes, kind, number);
  const { body } = await call(stack, 'POST', '/v1/payouts/', {
    kind,
    profile_id: stack.credentials.profile_id,
    reference_id: `kill ${number}`,
    recipients: [{ ...to, currency: 'BTC' }],
  });
  expect(body.result, JSON.stringify(body)).toBeDefined();
  return { id: body.result.id, kind, ...to };
}

/** Electrum has each amount once, by its own count. */
async function expectReceivedOnce(nodes: RealNodes, payouts: readonly Payout[]): Promise<void> {
  const held = await nodes.electrum<[string, string][]>('listaddresses', {
    receiving: true,
    funded: true,
    balance: true,
  });
  const balances = new Map(held.map(([address, balance]) => [address, Number(balance)]));
  const requests =
    await nodes.electrum<{ lightning_invoice?: string; status_str: string }[]>('list_requests');
  const paid = requests
    .filter(({ status_str }) => status_str === 'Paid')
    .map(({ lightning_invoice }) => lightning_invoice);
  for (const { kind, address, amount } of payouts)
    if (kind === ON_CHAIN) expect(balances.get(address), address).toBe(Number(amount));
    else expect(paid.filter((one) => one === address)).toHaveLength(1);
}

test(`kill -9 of the gateway during a payout, ${KILLS} times, pays each once`, async () => {
  test.setTimeout(60_000 + KILLS * 20_000);
  const nodes = await startRealNodes();
  const stack = await Stack.start(nodes.settings, ['gateway']);
  const payouts: Payout[] = [];
  try {
    await fund(stack, nodes);
    for (let number = 0; number < KILLS; number += 1) {
      payouts.push(await createPayout(stack, nodes, number));
      // Spread over the whole way of a payout, half of them by each way.
      const share = Math.floor(number / 2) / Math.ceil(KILLS / 2);
      await new Promise((resolve) => setTimeout(resolve, share * LONGEST_MS));
      await stack.servers.get('gateway')!.end('SIGKILL');
      await nodes.mine(1);
      await stack.launch('gateway');
    }
    // One after the other: the nonces of a key increase.
    const open = async (): Promise<string[]> => {
      const unfinished: string[] = [];
      for (const { id, kind } of payouts) {
        const { body } = await call(stack, 'GET', `/v1/payouts/${id}/`);
        if (body.result.status !== 'complete')
          unfinished.push(`${kind} ${body.result.status} ${body.result.error}`);
      }
      return unfinished;
    };
    for (let block = 0; block < 40 && (await open()).length > 0; block += 1) {
      await nodes.mine(1);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    expect(await open()).toEqual([]);
    await expectReceivedOnce(nodes, payouts);
    expect(await nodes.violations()).toEqual([]);
  } finally {
    await stack.stop();
    await nodes.stop();
  }
});
