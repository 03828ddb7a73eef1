import type { Key } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';

/**
 * Restricts sub accounts and API keys to integrator keys, whatever other permissions a key has.
 * @throws ServiceError `PermissionDenied`
 */
export function requireIntegrator({ isIntegratorKey }: Key): void {
  if (!isIntegratorKey) throw new ServiceError('PermissionDenied', 'This needs an integrator key.');
}
