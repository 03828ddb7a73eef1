import type { Key } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';

/**
 * Sub accounts and API keys are for integrator keys (§5), whatever permissions others have.
 * @throws ServiceError `PermissionDenied`
 */
export function requireIntegrator({ isIntegratorKey }: Key): void {
  if (!isIntegratorKey) throw new ServiceError('PermissionDenied', 'This needs an integrator key.');
}
