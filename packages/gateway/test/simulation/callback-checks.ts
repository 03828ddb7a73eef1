import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { sentBody } from '../../src/callback/stored-body.ts';
import { call } from '../support/call.ts';
import type { SimulatedGateway } from './simulated-gateway.ts';
import { InvariantViolation } from './invariant-violation.ts';
import type { CheckProgress } from './invariant-checks.ts';

interface CallbackRow {
  id: string;
  resource: string;
  resource_id: string;
  event: string;
  body: string;
  /** Whether a GET still returns the content that the callback was created from. */
  is_unchanged: boolean;
}

/**
 * Checks that new callbacks are signed and equal the response of a GET, unless the resource changed
 * after the callback's commit.
 * @param concurrent skips the comparison: a callback does not contain concurrent commits
 */
export async function checkCallbacks(
  { context, app, account }: SimulatedGateway,
  progress: CheckProgress,
  concurrent = false,
): Promise<void> {
  const { rows } = await sql<CallbackRow>`
    select c.id, c.resource, c.resource_id, c.event, c.body, s.version = simulation_version(c.resource_id) as is_unchanged
    from callback c join simulation_snapshot s on s.callback_id = c.id
    where not (c.id = any(${[...progress.callbacks]}::uuid[]))`.execute(context.db);
  const [owner] =
    rows.length === 0
      ? []
      : await context.db.selectFrom('account').select('callback_token_sealed').execute();
  const current = new Map<string, unknown>();
  for (const { id, resource, resource_id, event, body, is_unchanged } of rows) {
    progress.callbacks.add(id);
    const sent = JSON.parse(sentBody(body)) as Record<string, unknown>;
    const token = context.secrets.unseal(owner!.callback_token_sealed, account.account_id);
    const expected = { id, event, signature: createHmac('sha256', token).update(id).digest('hex') };
    const found = {
      id: sent['callback_id'],
      event: sent['callback_status'],
      signature: sent['signature'],
    };
    if (!isDeepStrictEqual(found, expected))
      throw new InvariantViolation('a callback has its id, event and signature', {
        found,
        expected,
      });
    if (!isDeepStrictEqual(sent['result'], sent[resource]))
      throw new InvariantViolation('a callback contains its resource under both names', sent);
    if (!is_unchanged || concurrent) continue;
    if (!current.has(resource_id)) {
      const { body: answer } = await call(
        app,
        account.api,
        'GET',
        `/v1/${resource}s/${resource_id}/`,
      );
      current.set(resource_id, answer.result);
    }
    if (!isDeepStrictEqual(sent['result'], current.get(resource_id)))
      throw new InvariantViolation('a callback equals the response of a GET', {
        event,
        sent: sent['result'],
        current: current.get(resource_id),
      });
  }
}
