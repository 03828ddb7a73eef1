import type { Context, Handler, MiddlewareHandler } from 'hono';
import type { Permission } from '../account/permission.ts';
import type { Env } from './env.ts';
import { ServiceError } from './error.ts';
import type { Operation } from './operation.ts';

const declared = new WeakMap<object, { permission: Permission; operation: Operation }>();

/**
 * Lets a route be used by keys with this permission only; every route under `/v1/` declares one.
 * @param operation what it does, for the published description
 * @example app.get('/v1/invoices/', authorized('invoices:read', { summary: 'List invoices', source: '§4.1', filters, answer }), list)
 */
export function authorized(permission: Permission, operation: Operation): MiddlewareHandler<Env> {
  const handler: MiddlewareHandler<Env> = (c, next) => {
    requirePermission(c, permission);
    return next();
  };
  declared.set(handler, { permission, operation });
  return handler;
}

function requirePermission(c: Context<Env>, permission: Permission): void {
  if (c.get('key').permissions.has(permission)) return;
  throw new ServiceError('PermissionDenied', `The API key needs the permission ${permission}.`);
}

/**
 * A handler and the `authorized(…)` before it as one: each that the framework calls costs two promises and a closure.
 * @returns null when the first is none of ours
 */
export function joined(first: Handler<Env>, handler: Handler<Env>): Handler<Env> | null {
  const known = declared.get(first);
  if (!known) return null;
  const both: Handler<Env> = (c, next) => {
    requirePermission(c, known.permission);
    return handler(c, next);
  };
  declared.set(both, known);
  return both;
}

/** The permission that a handler asks for, if it is one of ours. */
export function permissionOf(handler: object): Permission | null {
  return declared.get(handler)?.permission ?? null;
}

/** What the route of a handler does, if it is one of ours. */
export function operationOf(handler: object): Operation | null {
  return declared.get(handler)?.operation ?? null;
}
