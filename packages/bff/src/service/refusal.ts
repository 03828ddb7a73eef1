import type { ServiceRejection } from './service.ts';

/** The setting that an operator must correct when the service refuses to show the profile. */
export function settingToCorrect({ status, reason }: ServiceRejection): string {
  if (reason === 'InvalidApiKey' || status === 401)
    return 'The payment service refuses the API key: correct API_KEY and API_SECRET.';
  if (reason === 'NotFound' || status === 404)
    return 'The payment service has no such profile for this API key: correct PROFILE_ID, or SERVICE_URL.';
  if (reason === 'PermissionDenied')
    return 'The API key may not read profiles at the payment service: correct API_KEY.';
  if (reason === 'IpNotAllowed')
    return 'The payment service refuses the API key from the address of this server: change the addresses of the key.';
  return `The payment service refuses a signed read (${reason ?? status}): correct the settings of the service.`;
}
