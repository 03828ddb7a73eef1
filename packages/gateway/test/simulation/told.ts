import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { sentBody } from '../../src/callback/stored-body.ts';
import { call } from '../../src/http/test-call.ts';
import type { Arena } from './arena.ts';
import { Broken } from './broken.ts';
import type { Watch } from './checks.ts';

interface Told {
  id: string;
  resource: string;
  resource_id: string;
  event: string;
  body: string;
  /** Nothing of what a GET shows was changed since. */
  same: boolean;
}

/**
 * Whatever was told since is what a GET says, as long as nothing was changed after the commit that told it.
 * @param crowded whether much happened at once: what others commit while a callback is made is not in it
 */
export async function requireTold({ context, app, account }: Arena, watch: Watch, crowded = false): Promise<void> {
  const { rows } = await sql<Told>`
    select c.id, c.resource, c.resource_id, c.event, c.body, s.shown = simulation_shown(c.resource_id) as same
    from callback c join simulation_told s on s.callback_id = c.id
    where not (c.id = any(${[...watch.told]}::uuid[]))`.execute(context.db);
  const [owner] = rows.length === 0 ? [] : await context.db.selectFrom('account').select('callback_token_sealed').execute();
  const shown = new Map<string, unknown>();
  for (const { id, resource, resource_id, event, body, same } of rows) {
    watch.told.add(id);
    const sent = JSON.parse(sentBody(body)) as Record<string, unknown>;
    const token = context.secrets.unseal(owner!.callback_token_sealed, account.account_id);
    const expected = { id, event, signature: createHmac('sha256', token).update(id).digest('hex') };
    const found = { id: sent['callback_id'], event: sent['callback_status'], signature: sent['signature'] };
    if (!isDeepStrictEqual(found, expected)) throw new Broken('a callback says what it is', { found, expected });
    if (!isDeepStrictEqual(sent['result'], sent[resource])) throw new Broken('a callback carries its resource twice', sent);
    if (!same || crowded) continue;
    if (!shown.has(resource_id)) {
      const { body: answer } = await call(app, account.api, 'GET', `/v1/${resource}s/${resource_id}/`);
      shown.set(resource_id, answer.result);
    }
    if (!isDeepStrictEqual(sent['result'], shown.get(resource_id)))
      throw new Broken('a callback says what a GET says', { event, sent: sent['result'], shown: shown.get(resource_id) });
  }
}
