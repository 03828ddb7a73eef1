import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { updateProfile } from '../profile/update.ts';
import { Deliverer } from './deliver.ts';
import { testReceiver, type TestReceiver } from './test-receiver.ts';

let receiver: TestReceiver;
let deliverer: Deliverer;
beforeEach(async () => {
  receiver = await testReceiver();
  deliverer = new Deliverer(receiver.context);
});
afterEach(() => receiver.close());

const move = (path: string | null) => {
  const { context, account, origin } = receiver;
  // The receiver of this test is on this machine.
  const { outboundAllow } = loadConfig({ OUTBOUND_ALLOW: `127.0.0.1/32:${new URL(origin).port}` });
  return updateProfile({ ...context, config: { ...context.config, outboundAllow } }, account.account_id, account.profile_id, {
    callback_url: path === null ? null : `${origin}${path}`,
  });
};
const told = (path: string) =>
  receiver.received.filter((one) => one.path === path).map(({ body }) => (JSON.parse(body) as { result: { id: string } }).result.id);

describe('callbacks that wait while the address of their profile is corrected', () => {
  it('go to the new address at once', async () => {
    receiver.answer = ({ path }) => (path === '/wrong' ? 404 : 200);
    const [first] = await receiver.queue('/wrong');
    await deliverer.deliverDue();
    expect(told('/wrong')).toEqual([first]);
    receiver.context.clock.advance(1_000);
    const [second] = await receiver.queue('/wrong');
    await move('/right');
    await deliverer.deliverDue();
    expect(told('/wrong')).toEqual([first]);
    expect(new Set(told('/right'))).toEqual(new Set([first, second]));
  });

  it('are all moved, however many they are', async () => {
    await receiver.queue('/wrong', 1_700);
    await move('/right');
    const left = async () =>
      (await receiver.context.db.selectFrom('callback').select('id').where('url', 'like', '%/wrong').limit(1).execute()).length;
    await expect.poll(left, { timeout: 15_000 }).toBe(0);
  });

  it('go to the new address with the next attempt, where one is under way', async () => {
    const moves: Promise<unknown>[] = [];
    receiver.answer = ({ path }, response) => {
      if (path !== '/wrong') return 200;
      moves.push(move('/right').then(() => response.writeHead(404).end()));
      return null;
    };
    const [id] = await receiver.queue('/wrong');
    await deliverer.deliverDue();
    await Promise.all(moves);
    receiver.context.clock.advance(10_000);
    await deliverer.deliverDue();
    expect([told('/wrong'), told('/right')]).toEqual([[id], [id]]);
  });

  it('stay where they are when the address is taken away, until there is another one; those that were taken are not told again', async () => {
    const [taken] = await receiver.queue('/old');
    await deliverer.deliverDue();
    const [waiting] = await receiver.queue('/old');
    await move(null);
    await deliverer.deliverDue();
    expect(told('/old')).toEqual([taken, waiting]);
    receiver.answer = ({ path }) => (path === '/old' ? 404 : 200);
    const [refused] = await receiver.queue('/old');
    await deliverer.deliverDue();
    await move(null);
    await move('/new');
    await deliverer.deliverDue();
    expect(told('/new')).toEqual([refused]);
  });
});
