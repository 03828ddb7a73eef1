import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { updateProfile } from '../profile/update.ts';
import { Deliverer } from './deliver.ts';
import { testReceiver, type TestReceiver } from '../../test/support/receiver.ts';

let receiver: TestReceiver;
let deliverer: Deliverer;
beforeEach(async () => {
  receiver = await testReceiver();
  deliverer = new Deliverer(receiver.context);
});
afterEach(() => receiver.close());

const move = (path: string | null) => {
  const { context, account, origin } = receiver;
  // The test's receiver is on the loopback.
  const { outboundAllow } = loadConfig({ OUTBOUND_ALLOW: `127.0.0.1/32:${new URL(origin).port}` });
  return updateProfile(
    { ...context, config: { ...context.config, outboundAllow } },
    account.account_id,
    account.profile_id,
    {
      callback_url: path === null ? null : `${origin}${path}`,
    },
  );
};
const deliveredTo = (path: string) =>
  receiver.received
    .filter((one) => one.path === path)
    .map(({ body }) => (JSON.parse(body) as { result: { id: string } }).result.id);

describe('waiting callbacks when the profile’s URL changes', () => {
  it('go to the new URL at once', async () => {
    receiver.answer = ({ path }) => (path === '/wrong' ? 404 : 200);
    const [first] = await receiver.queue('/wrong');
    await deliverer.deliverDue();
    expect(deliveredTo('/wrong')).toEqual([first]);
    receiver.context.clock.advance(1_000);
    const [second] = await receiver.queue('/wrong');
    await move('/right');
    await deliverer.deliverDue();
    expect(deliveredTo('/wrong')).toEqual([first]);
    expect(new Set(deliveredTo('/right'))).toEqual(new Set([first, second]));
  });

  it('are all moved, in any number', async () => {
    await receiver.queue('/wrong', 1_700);
    await move('/right');
    const left = async () =>
      (
        await receiver.context.db
          .selectFrom('callback')
          .select('id')
          .where('url', 'like', '%/wrong')
          .limit(1)
          .execute()
      ).length;
    await expect.poll(left).toBe(0);
  });

  it('go to the new URL with the next attempt, during an attempt', async () => {
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
    expect([deliveredTo('/wrong'), deliveredTo('/right')]).toEqual([[id], [id]]);
  });

  it('wait while there is no URL; delivered ones are not sent again', async () => {
    const [taken] = await receiver.queue('/old');
    await deliverer.deliverDue();
    const [waiting] = await receiver.queue('/old');
    await move(null);
    await deliverer.deliverDue();
    expect(deliveredTo('/old')).toEqual([taken, waiting]);
    receiver.answer = ({ path }) => (path === '/old' ? 404 : 200);
    const [refused] = await receiver.queue('/old');
    await deliverer.deliverDue();
    await move(null);
    await move('/new');
    await deliverer.deliverDue();
    expect(deliveredTo('/new')).toEqual([refused]);
  });
});
