import type { Command } from 'commander';
import { dismissAlarm } from '../../alarm/dismiss.ts';
import { presentAlarm } from '../../alarm/present.ts';
import { raisedAlarms } from '../../alarm/store.ts';
import type { Alarm } from '@crypto-checkout/protocol/dashboard';
import { type Io, withContext } from '../io.ts';
import { showOne, showRows } from '../table.ts';

/** A larger number has one common cause; the rest is listed once these are dismissed. */
const LISTED = 100;
const BY = 'command line';

export function addAlarms(program: Command, io: Io): void {
  const alarms = program.command('alarms').description('problems that need an operator');

  alarms
    .command('list')
    .description('lists the alarms of all accounts, newest first')
    .action((_: unknown, command: Command) =>
      withContext(io, async ({ db }) => {
        const { rows } = await raisedAlarms(null, LISTED).execute(db);
        const count = rows[0]?.count ?? 0;
        showRows(
          io,
          command.optsWithGlobals(),
          rows.map((row) => shown(presentAlarm(row))),
          'There are no alarms.',
        );
        if (count > rows.length)
          io.note(`${rows.length} of ${count}; dismiss these to see the others.`);
      }),
    );

  alarms
    .command('dismiss')
    .description('dismisses an alarm; a problem that persists raises it again')
    .argument('<id>', "the alarm's id")
    .action((id: string, _: unknown, command: Command) =>
      withContext(io, async (context) =>
        showOne(io, command.optsWithGlobals(), shown(await dismissAlarm(context, null, id, BY))),
      ),
    );
}

const shown = ({
  id,
  chain,
  resource,
  resource_id,
  reason,
  raised_at,
  network,
  about,
  funding,
}: Alarm) => ({
  id,
  raised_at,
  about: resource ?? chain,
  resource_id,
  money:
    about === null ? null : [about.amount, about.currency, 'on', network].filter(Boolean).join(' '),
  send: funding === null ? null : [funding.amount, funding.currency].filter(Boolean).join(' '),
  to: funding?.address ?? null,
  reason,
});
