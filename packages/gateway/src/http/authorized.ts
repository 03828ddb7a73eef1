import type { Context, Handler, MiddlewareHandler } from 'hono';
import type { Permission } from '../account/keys/permission.ts';
import type { Env } from './env.ts';
import { ServiceError } from './error.ts';
import type { Operation } from './operation.ts';

interface Declared {
  permission: Permission;
  operation: Operation;
  /** Another permission that is enough. */
  alternative: Permission | null;
}

const declared = new WeakMap<object, Declared>();

/**
 * Restricts a route to keys with a permission; every route under `/v1/` declares one.
 * @param operation what the route does, for the published API description
 * @param alternative another permission that is enough. Default: none
 * @example
 * const operation = { summary: 'List invoices', source: 'Invoice operations', filters, answer };
 * app.get('/v1/invoices/', authorized('invoices:read', operation), list);
 */
export function authorized(
  permission: Permission,
  operation: Operation,
  alternative: Permission | null = null,
): MiddlewareHandler<Env> {
  const required: Declared = { permission, operation, alternative };
  const handler: MiddlewareHandler<Env> = (c, next) => {
    requirePermission(c, required);
    return next();
  };
  declared.set(handler, required);
  return handler;
}

function requirePermission(c: Context<Env>, { permission, alternative }: Declared): void {
  const { permissions } = c.get('key');
  if (permissions.has(permission)) return;
  if (alternative !== null && permissions.has(alternative)) return;
  const other = alternative === null ? '' : ` or ${alternative}`;
  throw new ServiceError(
    'PermissionDenied',
    `The API key needs the permission ${permission}${other}.`,
  );
}

/**
 * Fuses a handler and its `authorized(…)` into one: Hono's dispatch costs two promises and a
 * closure for each.
 * @returns null when the first handler is not ours
 */
export function joined(first: Handler<Env>, handler: Handler<Env>): Handler<Env> | null {
  const known = declared.get(first);
  if (!known) return null;
  const both: Handler<Env> = (c, next) => {
    requirePermission(c, known);
    return handler(c, next);
  };
  declared.set(both, known);
  return both;
}

/** The permission that a handler requires, if it is one of ours. */
export function permissionOf(handler: object): Permission | null {
  return declared.get(handler)?.permission ?? null;
}

/** Another permission that is enough for a handler, if it has one. */
export function alternativeOf(handler: object): Permission | null {
  return declared.get(handler)?.alternative ?? null;
}

/** The operation that a handler's route describes, if it is one of ours. */
export function operationOf(handler: object): Operation | null {
  return declared.get(handler)?.operation ?? null;
}
