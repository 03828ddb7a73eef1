import { sql } from 'kysely';
import type { Clock } from '../context.ts';
import { transact, type Db, type Trx } from '../database/database.ts';

/** Business time that can be moved forward. All processes on one database share it. */
export interface MovableClock extends Clock {
  /** Moves business time; committed on return. */
  moveBy(ms: number): Promise<void>;
  /**
   * Loads the offset set by other processes. Called at start, once a second by the worker, and
   * after each sandbox call.
   */
  read(): Promise<void>;
}

const SETTING = 'clock_offset_ms';

/** A clock whose business time is real time plus an offset stored in the database. */
export function movableClock(db: Db, real: () => number = Date.now): MovableClock {
  let offsetMs = 0;
  return {
    now: () => real() + offsetMs,
    real,
    async moveBy(ms) {
      offsetMs = await transact(db, async (trx) => {
        const offset = (await readOffset(trx, 'for update')) + ms;
        await sql`insert into setting (name, value) values (${SETTING}, ${JSON.stringify(offset)})
          on conflict (name) do update set value = excluded.value`.execute(trx);
        return offset;
      });
    },
    async read() {
      offsetMs = await readOffset(db, '');
    },
  };
}

/** Whether business time can be moved; not on a main network. */
export function isMovable(clock: Clock): clock is MovableClock {
  return 'moveBy' in clock;
}

async function readOffset(db: Db | Trx, lock: '' | 'for update'): Promise<number> {
  // The row is created first, so that concurrent moves add up.
  if (lock !== '')
    await sql`insert into setting (name, value) values (${SETTING}, '0') on conflict do nothing`.execute(
      db,
    );
  const { rows } = await sql<{
    value: unknown;
  }>`select value from setting where name = ${SETTING} ${sql.raw(lock)}`.execute(db);
  const offset = rows[0]?.value ?? 0;
  if (typeof offset !== 'number') throw new Error(`The setting ${SETTING} is not a number`);
  return offset;
}
