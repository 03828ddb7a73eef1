import { sql } from 'kysely';
import type { Db } from '../../src/database/database.ts';
import { tablesOf } from '../database-digest.ts';

export interface Baseline {
  /** Makes every table what it was when the baseline was taken. */
  restore(): Promise<void>;
}

/** Restores before dead rows slow the tables down. */
const TRUNCATE_EVERY = 25;

/**
 * Keeps what every table holds now, and notes from now on, inside the database: each change of a status (`simulation_move`), and what there
 * was to see when a callback was recorded (`simulation_told`).
 */
export async function prepareBaseline(db: Db): Promise<Baseline> {
  await notes(db);
  const tables = await byReference(db, await tablesOf(db));
  await sql`create schema baseline`.execute(db);
  const kept: string[] = [];
  for (const table of tables) {
    await sql.raw(`create table baseline."${table}" as select * from public."${table}"`).execute(db);
    const { rows } = await sql.raw(`select 1 from baseline."${table}" limit 1`).execute(db);
    if (rows.length > 0) kept.push(table);
  }
  const refill = kept.map((table) => `insert into public."${table}" overriding system value select * from baseline."${table}"`);
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

async function notes(db: Db): Promise<void> {
  await sql`create table simulation_move (number bigint generated always as identity, what text, id uuid, old text, new text)`.execute(db);
  await sql`create table simulation_told (callback_id uuid primary key, shown text)`.execute(db);
  await sql
    .raw(
      `create function simulation_moved() returns trigger language plpgsql as $$ begin
         insert into simulation_move (what, id, old, new) values (tg_table_name, new.id, old.status, new.status);
         return null;
       end $$`,
    )
    .execute(db);
  const { rows } = await sql<{ name: string }>`
    select c.table_name as name from information_schema.columns c
    join information_schema.columns i using (table_schema, table_name)
    where table_schema = 'public' and c.column_name = 'status' and i.column_name = 'id'`.execute(db);
  for (const { name } of rows) {
    await sql
      .raw(
        `create trigger simulation_moved after update on "${name}" for each row
           when (old.status is distinct from new.status) execute function simulation_moved()`,
      )
      .execute(db);
  }
  // Versions only grow, so the same sum is the same state of a resource and of whatever else a GET of it shows: the invoice of a
  // transaction, its other payments, the invoices of those who pay an LNURL.
  await sql
    .raw(
      `create function simulation_shown(wanted uuid) returns text language sql stable as $$
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
      `create function simulation_told() returns trigger language plpgsql as $$ begin
         insert into simulation_told values (new.id, simulation_shown(new.resource_id));
         return null;
       end $$`,
    )
    .execute(db);
  // At the commit: what is told is what the change that tells it left behind, in whatever order it wrote.
  await sql
    .raw(
      `create constraint trigger simulation_told after insert on callback deferrable initially deferred
         for each row execute function simulation_told()`,
    )
    .execute(db);
}

/** What is referred to comes before what refers to it. */
async function byReference(db: Db, tables: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ from: string; to: string }>`
    select f.relname as from, t.relname as to from pg_constraint c
    join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
    where c.contype = 'f' and f.relnamespace = 'public'::regnamespace and f.oid <> t.oid`.execute(db);
  const sorted: string[] = [];
  const visit = (table: string): void => {
    if (sorted.includes(table)) return;
    for (const { to } of rows.filter(({ from }) => from === table)) visit(to);
    sorted.push(table);
  };
  for (const table of tables) visit(table);
  return sorted;
}
