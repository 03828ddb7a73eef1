import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import { Hono } from 'hono';
import type { z } from 'zod';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';

/** The account and the key of a request. */
export type Requester = Pick<Env['Variables'], 'account' | 'key'>;

type Operations = Readonly<Record<'list' | 'create' | 'get' | 'update' | 'remove', Operation>>;

export interface ResourceRoutes<Row> {
  path:
    | '/v1/conversions/'
    | '/v1/automatic-conversions/'
    | '/v1/automatic-funding/'
    | '/v1/automatic-payouts/';
  /** The resource in the names of its permissions, as in `conversions:read`. */
  permission: 'conversions' | 'auto-conversions' | 'auto-funding' | 'auto-payouts';
  operations: Operations;
  present: (row: Row) => object;
  /** Presents the answer of a get. Default: `present`. */
  presentOne?: (row: Row) => object;
  list: (requester: Requester) => Promise<readonly Row[]>;
  create: (requester: Requester, payload: unknown) => Promise<Row>;
  get: (requester: Requester, id: string) => Promise<Row>;
  update: (requester: Requester, id: string, payload: unknown) => Promise<Row>;
  remove: (requester: Requester, id: string) => Promise<Row>;
}

/**
 * The five routes of a resource that a caller lists, creates, reads, changes and deletes.
 * @example
 * resourceRoutes({
 *   path: '/v1/conversions/', permission: 'conversions', operations, present,
 *   list, create, get, update, remove,
 * })
 */
export function resourceRoutes<Row>(resource: ResourceRoutes<Row>): Hono<Env> {
  const { path, permission, operations, present, presentOne = present } = resource;
  const app = new Hono<Env>();
  const one = `${path}:id/` as const;

  app.get(path, authorized(`${permission}:read`, operations.list), async (c) => {
    const rows = await resource.list(c.var);
    return c.json({ result: rows.map((row) => present(row)) });
  });

  app.post(path, authorized(`${permission}:write`, operations.create), async (c) => {
    const row = await resource.create(c.var, c.get('payload'));
    return c.json({ result: present(row) }, 201);
  });

  app.get(one, authorized(`${permission}:read`, operations.get), async (c) => {
    const row = await resource.get(c.var, c.req.param('id'));
    return c.json({ result: presentOne(row) });
  });

  app.put(one, authorized(`${permission}:write`, operations.update), async (c) => {
    const row = await resource.update(c.var, c.req.param('id'), c.get('payload'));
    return c.json({ result: present(row) });
  });

  app.delete(one, authorized(`${permission}:write`, operations.remove), async (c) => {
    const row = await resource.remove(c.var, c.req.param('id'));
    return c.json({ result: present(row) });
  });

  return app;
}

type Described = Pick<Operation, 'description' | 'reasons'>;

export interface ResourceOperations {
  /** With its article, as `an automatic payout`. */
  singular: string;
  plural: string;
  source: string;
  answer: z.ZodType;
  create: Described & { payload: z.ZodType };
  update: Described & { payload: z.ZodType };
  remove: Described;
}

/** The descriptions of the five routes in the published reference. */
export function resourceOperations({
  singular,
  plural,
  source,
  answer,
  create,
  update,
  remove,
}: ResourceOperations): Operations {
  const result = resultOf(answer);
  return {
    list: { summary: `List ${plural}`, source, answer: listOf(answer) },
    create: { summary: `Create ${singular}`, source, answer: result, status: 201, ...create },
    get: { summary: `Get ${singular}`, source, answer: result },
    update: { summary: `Change ${singular}`, source, answer: result, ...update },
    remove: { summary: `Delete ${singular}`, source, answer: result, ...remove },
  };
}
