import { expect, it } from 'vitest';
import { requireSafeAddresses, UnsafeAddressError } from './main-network.ts';

const check = (more: { publicUrl?: string; serviceUrl?: string }) => () =>
  requireSafeAddresses({
    publicUrl: 'https://pay.shop.example',
    serviceUrl: 'https://gateway.shop.example',
    ...more,
  });

it.each([
  'https://pay.shop.example',
  'http://localhost:8080',
  'http://127.0.0.1',
  'http://[::1]:1',
])('pages may be at %s', (publicUrl) => expect(check({ publicUrl })).not.toThrow());

it.each(['http://pay.shop.example', 'http://10.0.0.1', 'http://bff', 'http://localhost.example'])(
  'pages may not be at %s',
  (publicUrl) =>
    expect(check({ publicUrl })).toThrow(
      new UnsafeAddressError(
        `PUBLIC_URL must be https on a main network, not "${publicUrl}"; http is for this machine alone.`,
      ),
    ),
);

it.each([
  'http://127.0.0.1:8081',
  'http://gateway:8081',
  'http://10.1.2.3',
  'http://172.31.0.9',
  'http://[fd00::1]',
  'http://gateway.internal',
])('the service may be at %s', (serviceUrl) => expect(check({ serviceUrl })).not.toThrow());

it.each(['http://gateway.shop.example', 'http://8.8.8.8', 'http://172.32.0.1'])(
  'the service may not be at %s',
  (serviceUrl) => expect(check({ serviceUrl })).toThrow('SERVICE_URL must be https'),
);
