import { describe, expect, it } from 'vitest';
import { type Bench, type Json, choose, setUp } from '../../test/support/bench.ts';

const ACCOUNT = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk';
const NODE = 'https://solana.test/rpc';
const HASH = 'GjJyeC1r2RgkuoCWMyPYkCWSGSGLcz266EaAkLA27AhL';

/** A BFF with a Solana node that gives a set answer. */
function withNode(
  answer: () => Json = () => ({ result: { value: { blockhash: HASH } } }),
): Bench & { asked: () => number } {
  let asked = 0;
  const bench: Bench = setUp();
  const { fetch } = bench.options;
  bench.restart({
    solanaRpcUrl: NODE,
    fetch: async (input, init) => {
      if (input !== NODE) return fetch!(input, init);
      asked += 1;
      return Response.json(answer());
    },
  });
  for (const kind of ['SOL', 'USDC-SOL'])
    if (!bench.service.kinds.includes(kind)) bench.service.kinds.push(kind);
  return { ...bench, get: bench.get, post: bench.post, asked: () => asked };
}

describe('a Solana payment for a wallet in the browser', () => {
  it.each(['SOL', 'USDC-SOL'])('is created for the account of the wallet: %s', async (kind) => {
    const bench = withNode();
    const { id, payment } = await choose(bench, kind);
    const offered = await bench.get(`/checkouts/${id}/solana`);
    expect([offered.status, offered.body]).toEqual([200, { label: 'Test Shop' }]);
    const { status, body } = await bench.post(`/checkouts/${id}/solana`, { account: ACCOUNT });
    expect(status).toBe(200);
    expect(body.message).toBe(`${payment.strings.amount} ${payment.symbol}`);
    const bytes = Buffer.from(body.transaction, 'base64');
    // One empty signature, one signer.
    expect([bytes[0], bytes.subarray(1, 65).every((byte) => byte === 0), bytes[65]]).toEqual([
      1,
      true,
      1,
    ]);
  });

  it('asks the node once for concurrent buyers', async () => {
    const bench = withNode();
    const { id } = await choose(bench, 'SOL');
    await Promise.all(
      Array.from({ length: 5 }, () => bench.post(`/checkouts/${id}/solana`, { account: ACCOUNT })),
    );
    expect(bench.asked()).toBe(1);
    bench.advance(11);
    await bench.post(`/checkouts/${id}/solana`, { account: ACCOUNT });
    expect(bench.asked()).toBe(2);
  });

  it('is rejected for an invalid account, and while nothing is due', async () => {
    const bench = withNode();
    const { id } = await choose(bench, 'SOL');
    for (const account of ['', 'x', 7, null, '0'.repeat(32), '1'.repeat(44)])
      expect(
        (await bench.post(`/checkouts/${id}/solana`, { account })).body.reason,
        String(account),
      ).toBe('ValidationError');
    bench.advance(901);
    const { status, body } = await bench.post(`/checkouts/${id}/solana`, { account: ACCOUNT });
    expect([status, body.reason]).toEqual([409, 'InvalidState']);
  });

  it('does not exist for another coin, without a node, or for an unknown checkout', async () => {
    const bench = withNode();
    const bitcoin = await choose(bench, 'BTC');
    expect((await bench.get(`/checkouts/${bitcoin.id}/solana`)).status).toBe(404);
    expect((await bench.get('/checkouts/nobody/solana')).status).toBe(404);
    const without = setUp();
    without.service.kinds.push('SOL');
    const { id } = await choose(without, 'SOL');
    expect((await without.get(`/checkouts/${id}/solana`)).status).toBe(404);
    expect((await without.post(`/checkouts/${id}/solana`, { account: ACCOUNT })).status).toBe(404);
  });

  it('gets 503 while the node returns invalid answers', async () => {
    let answer: Json = { error: { code: -32_005 } };
    const bench = withNode(() => answer);
    const { id } = await choose(bench, 'SOL');
    const { status, body } = await bench.post(`/checkouts/${id}/solana`, { account: ACCOUNT });
    expect([status, body.reason]).toEqual([503, undefined]);
    answer = { result: { value: { blockhash: HASH } } };
    expect((await bench.post(`/checkouts/${id}/solana`, { account: ACCOUNT })).status).toBe(200);
  });
});
