import type { MiddlewareHandler } from 'hono';
import type { Permission } from '../account/permission.ts';
import type { Env } from './env.ts';
import { ServiceError } from './error.ts';

const declared = new WeakMap<object, Permission>();

/**
 * Lets a route be used by keys with this permission only; every route under `/v1/` declares one.
 * @example app.get('/v1/invoices/', authorized('invoices:read'), list)
 */
export function authorized(permission: Permission): MiddlewareHandler<Env> {
  const handler: MiddlewareHandler<Env> = async (c, next) => {
    if (!c.var.key.permissions.has(permission))
      throw new ServiceError('PermissionDenied', `The API key needs the permission ${permission}.`);
    await next();
  };
  declared.set(handler, permission);
  return handler;
}

/** The permission that a handler asks for, if it is one of ours. */
export function permissionOf(handler: object): Permission | null {
  return declared.get(handler) ?? null;
}
