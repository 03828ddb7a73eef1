import { expect, it } from 'vitest';
import { parsePolicy } from './policy.ts';

it('each mistake of a policy has a sentence that names its member', () => {
  const limits = { fee_per_transaction: 0.1, fee_per_day: '1', payout: {} };
  const policy = { network: 'regtest', chains: { bitcoin: limits }, approvers: ['abc'], chain: {} };
  expect(() => parsePolicy('policy.json', JSON.stringify(policy))).toThrow(
    [
      'network must be one of mainnet, testnet, not "regtest"',
      'chains.bitcoin.fee_per_transaction must be a string',
      'chains.bitcoin.payout is no member of a policy',
      'approvers.0 must be an Ed25519 key in base64url',
      'chain is no member of a policy',
    ]
      .map((mistake) => `The policy policy.json: ${mistake}.`)
      .join('\n'),
  );
  expect(() => parsePolicy('policy.json', '{"network":"testnet"}')).toThrow(
    'The policy policy.json: chains is required.',
  );
});
