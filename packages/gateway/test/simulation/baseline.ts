import { sql } from 'kysely';
import type { Db } from '../../src/database/database.ts';
import { tablesOf } from '../support/database-digest.ts';

export interface Baseline {
  /** Restores the content of every table at the time of the baseline. */
  restore(): Promise<void>;
}

/** Truncates the tables at this interval, before dead rows slow them down. */
const TRUNCATE_EVERY = 25;

/**
 * Copies the content of every table. From then on triggers record each status transition
 * (`simulation_transition`) and the version of a resource when its callback is created
 * (`simulation_snapshot`).
 */
export async function prepareBaseline(db: Db): Promise<Baseline> {
  await recordChanges(db);
  const tables = await sortByReference(db, await tablesOf(db));
  await sql`create schema baseline`.execute(db);
  const filled: string[] = [];
  for (const table of tables) {
    await sql
      .raw(`create table baseline."${table}" as select * from public."${table}"`)
      .execute(db);
    const { rows } = await sql.raw(`select 1 from baseline."${table}" limit 1`).execute(db);
    if (rows.length > 0) filled.push(table);
  }
  const refill = filled.map(
    (table) =>
      `insert into public."${table}" overriding system value select * from baseline."${table}"`,
  );
  const empty = tables.toReversed().map((table) => `delete from public."${table}"`);
  const truncate = [`truncate ${tables.map((table) => `public."${table}"`).join(', ')}`];
  let restored = 0;
  return {
    async restore() {
      restored += 1;
      const statements = [...(restored % TRUNCATE_EVERY === 0 ? truncate : empty), ...refill];
      await sql.raw(`do $restore$ begin ${statements.join('; ')}; end $restore$`).execute(db);
    },
  };
}

async function recordChanges(db: Db): Promise<void> {
  await sql`create table simulation_transition (number bigint generated always as identity, resource text, id uuid, old text, new text)`.execute(
    db,
  );
  await sql`create table simulation_snapshot (callback_id uuid primary key, version text)`.execute(
    db,
  );
  await sql
    .raw(
      `create function simulation_record_transition() returns trigger language plpgsql as $$ begin
         insert into simulation_transition (resource, id, old, new) values (tg_table_name, new.id, old.status, new.status);
         return null;
       end $$`,
    )
    .execute(db);
  const { rows } = await sql<{ name: string }>`
    select c.table_name as name from information_schema.columns c
    join information_schema.columns i using (table_schema, table_name)
    where table_schema = 'public' and c.column_name = 'status' and i.column_name = 'id'`.execute(
    db,
  );
  for (const { name } of rows) {
    await sql
      .raw(
        `create trigger simulation_record_transition after update on "${name}" for each row
           when (old.status is distinct from new.status) execute function simulation_record_transition()`,
      )
      .execute(db);
  }
  // Versions only increase, so an equal sum means that a GET returns the same content. It includes
  // the invoice of a transaction, its other payments, and the child invoices of an LNURL.
  await sql
    .raw(
      `create function simulation_version(wanted uuid) returns text language sql stable as $$
         with invoices as (
           select i.id, i.version from invoice i, (select wanted as id union select invoice_id from transaction where id = wanted) w
           where i.id = w.id or i.lnurl_invoice_id = w.id)
         select concat_ws(' ', (select version from payout where id = wanted), (select sum(version) from invoices),
           (select sum(version) from transaction where invoice_id in (select id from invoices)))
       $$`,
    )
    .execute(db);
  await sql
    .raw(
      `create function simulation_record_snapshot() returns trigger language plpgsql as $$ begin
         insert into simulation_snapshot values (new.id, simulation_version(new.resource_id));
         return null;
       end $$`,
    )
    .execute(db);
  // Deferred to the commit: a callback contains the final state of its transaction, in whatever
  // order it writes.
  await sql
    .raw(
      `create constraint trigger simulation_record_snapshot after insert on callback deferrable initially deferred
         for each row execute function simulation_record_snapshot()`,
    )
    .execute(db);
}

/** Sorts tables so that referenced tables come first. */
async function sortByReference(db: Db, tables: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ from: string; to: string }>`
    select f.relname as from, t.relname as to from pg_constraint c
    join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
    where c.contype = 'f' and f.relnamespace = 'public'::regnamespace and f.oid <> t.oid`.execute(
    db,
  );
  const sorted: string[] = [];
  const visit = (table: string): void => {
    if (sorted.includes(table)) return;
    for (const { to } of rows.filter(({ from }) => from === table)) visit(to);
    sorted.push(table);
  };
  for (const table of tables) visit(table);
  return sorted;
}
