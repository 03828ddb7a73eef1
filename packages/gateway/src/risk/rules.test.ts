import { parseAmount } from '@crypto-checkout/protocol/amount';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../config.ts';
import type { PaymentFacts } from './check.ts';
import { applyRules } from './rules.ts';

const payment: PaymentFacts = {
  chain: 'ethereum',
  network: 'mainnet',
  asset: 'ETH_USDT',
  txid: '0x01',
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  amount: parseAmount('100'),
  inputs: ['0x8617e340b3d01fa5f11f306f4090fd50e238070d:7'],
};

describe('RISK_RULES', () => {
  it.each([
    [[], null],
    [[{ level: 'low' }], 'low'],
    [[{ kind: 'ETH', level: 'low' }], null],
    [[{ kind: 'ETH_USDT', level: 'medium' }, { level: 'low' }], 'medium'],
    [[{ min_amount: '100.000001', level: 'high' }, { level: 'no_risk' }], 'no_risk'],
    [[{ min_amount: '100', level: 'high' }], 'high'],
    [[{ max_amount: '99', level: 'high' }], null],
    [[{ address: '0x52908400098527886e0f7030069857d2e4169ee7', level: 'low' }], 'low'],
    [[{ address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D', level: 'critical' }], 'critical'],
    [[{ address: '0x0000000000000000000000000000000000000000', level: 'critical' }], null],
  ] as const)('%j find %s', (rules, level) => {
    expect(applyRules(rules, payment)?.level ?? null).toBe(level);
  });

  it('hold high and critical payments by default', () => {
    const held = (rule: Parameters<typeof applyRules>[0][number]) =>
      applyRules([rule], payment)?.quarantine;
    expect([
      held({ level: 'medium' }),
      held({ level: 'high' }),
      held({ level: 'critical' }),
    ]).toEqual([false, true, true]);
    expect([
      held({ level: 'low', quarantine: true }),
      held({ level: 'critical', quarantine: false }),
    ]).toEqual([true, false]);
  });

  it('report the number of the matching rule', () => {
    expect(applyRules([{ kind: 'BTC', level: 'low' }, { level: 'low' }], payment)?.data).toEqual({
      source: 'rules',
      rule: 2,
    });
  });

  it('treat all kinds of bitcoin as one coin', () => {
    expect(
      applyRules([{ kind: 'BTC_BECH32', level: 'low' }], { ...payment, asset: 'BTC' })?.level,
    ).toBe('low');
  });

  it.each([
    '{',
    '{}',
    '[1]',
    '[{"level":"awful"}]',
    '[{"level":"low","kind":"X"}]',
    '[{"level":"low","min_amount":1}]',
    '[{"level":"low","adress":"x"}]',
  ])('fail the startup when they are %s', (RISK_RULES) => {
    expect(() => loadConfig({ RISK_RULES })).toThrow(ConfigError);
  });

  it('are read from the setting', () => {
    expect(
      loadConfig({
        RISK_RULES: '[{"kind":"BTC","min_amount":"1","level":"high","quarantine":true}]',
      }).riskRules,
    ).toEqual([{ kind: 'BTC', min_amount: '1', level: 'high', quarantine: true }]);
    expect(loadConfig({}).riskRules).toEqual([]);
  });
});
