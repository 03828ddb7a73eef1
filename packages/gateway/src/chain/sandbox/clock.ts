import { sql } from 'kysely';
import type { Clock } from '../../context.ts';
import { transact, type Db, type Trx } from '../../database/database.ts';

/** Business time that can be moved forward. All processes on one database share it. */
export interface MovableClock extends Clock {
  /** Moves business time; committed when it returns. */
  moveBy(ms: number): Promise<void>;
  /** Reads how far another process moved it; called at start, once a second by the worker, and after each sandbox call. */
  read(): Promise<void>;
}

const SETTING = 'clock_offset_ms';

/** A clock whose business time is real time plus an offset that lies in the database. */
export function movableClock(db: Db, real: () => number = Date.now): MovableClock {
  let offsetMs = 0;
  return {
    now: () => real() + offsetMs,
    real,
    async moveBy(ms) {
      offsetMs = await transact(db, async (trx) => {
        const moved = (await readOffset(trx, 'for update')) + ms;
        await sql`insert into setting (name, value) values (${SETTING}, ${JSON.stringify(moved)})
          on conflict (name) do update set value = excluded.value`.execute(trx);
        return moved;
      });
    },
    async read() {
      offsetMs = await readOffset(db, '');
    },
  };
}

/** Whether a clock can be moved; a main network's can't. */
export function isMovable(clock: Clock): clock is MovableClock {
  return 'moveBy' in clock;
}

async function readOffset(db: Db | Trx, lock: '' | 'for update'): Promise<number> {
  // The row is made first, so that two that move the clock at once both count.
  if (lock !== '') await sql`insert into setting (name, value) values (${SETTING}, '0') on conflict do nothing`.execute(db);
  const { rows } = await sql<{ value: unknown }>`select value from setting where name = ${SETTING} ${sql.raw(lock)}`.execute(db);
  const offset = rows[0]?.value ?? 0;
  if (typeof offset !== 'number') throw new Error(`The setting ${SETTING} is not a number`);
  return offset;
}
