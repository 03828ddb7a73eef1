import type { Command } from 'commander';
import { dismissAlarm } from '../alarm/dismiss.ts';
import { type Alarm, raisedAlarms } from '../alarm/store.ts';
import { type Io, withContext } from './io.ts';
import { showOne, showRows } from './table.ts';

/** More at once have one cause; the others follow when these are dismissed. */
const LISTED = 100;
const BY = 'command line';

export function addAlarms(program: Command, io: Io): void {
  const alarms = program.command('alarms').description('what does not go on, or come right, by itself');

  alarms
    .command('list')
    .description('alarms of every account, newest first')
    .action((_: unknown, command: Command) =>
      withContext(io, async ({ db }) => {
        const { rows } = await raisedAlarms(null, LISTED).execute(db);
        const count = rows[0]?.count ?? 0;
        showRows(io, command.optsWithGlobals(), rows.map(shown), 'There is no alarm.');
        if (count > rows.length) io.note(`${rows.length} of ${count}; the others follow when these are dismissed.`);
      }),
    );

  alarms
    .command('dismiss')
    .description('takes one off the list that somebody has looked at; what goes on being wrong raises it again')
    .argument('<id>', "the alarm's id")
    .action((id: string, _: unknown, command: Command) =>
      withContext(io, async (context) => showOne(io, command.optsWithGlobals(), shown(await dismissAlarm(context, null, id, BY)))),
    );
}

const shown = ({ id, chain, resource, resource_id, reason, raised_at }: Alarm) => ({
  id,
  raised_at,
  about: resource ?? chain,
  resource_id,
  reason,
});
