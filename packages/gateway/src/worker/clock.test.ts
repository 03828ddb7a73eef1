import { afterAll, beforeAll, expect, it } from 'vitest';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { watchClock } from './clock.ts';

let context: TestContext;
beforeAll(async () => {
  context = await testContext();
});
afterAll(() => context.close());

const alarms = async (): Promise<string[]> =>
  (await context.db.selectFrom('alarm').select('reason').execute()).map(({ reason }) => reason);
/** A clock that differs from the database's, which is that of this machine. */
const watchAt = (differenceMs: number): Promise<void> =>
  watchClock({
    ...context,
    clock: { ...context.clock, real: () => Date.now() + differenceMs },
  })();

it('a clock that differs from the database by more than a minute is an alarm, until it is right', async () => {
  await watchAt(0);
  expect(await alarms()).toEqual([]);
  for (const off of [3_600_000, -3_600_000]) {
    await watchAt(off);
    await watchAt(off);
    expect(await alarms()).toEqual([
      "The gateway's clock differs from that of its database by more than a minute: synchronize the clocks of all machines, for example with chrony",
    ]);
    await watchAt(0);
    expect(await alarms()).toEqual([]);
  }
});
