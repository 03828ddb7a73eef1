import { describe, expect, it } from 'vitest';
import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { gasOf } from '@crypto-checkout/protocol/gas';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { cheapNetworksFirst } from './coin-order.ts';

/** Coins with their usual fees and times. */
const coins = (fees: Readonly<Record<string, readonly [fee: string | null, seconds: number]>>) =>
  Object.entries(fees).map(([kind, [fee_usd, seconds]]): CheckoutCoin => {
    const { name, network, symbol } = kindOf(kind)!;
    const gas = gasOf(kindOf(kind)!);
    return { kind, name, network, symbol, approx: null, fee_usd, seconds, gas };
  });
const order = (list: readonly CheckoutCoin[]): string[] =>
  cheapNetworksFirst(list).map(({ kind }) => kind);

describe('the networks of an asset', () => {
  it('are sorted by fee, then by time, with the most used one second', () => {
    const list = coins({
      'USDT-TRX': ['3.8', 3],
      ETH_USDT: ['2.1', 12],
      'USDT-BSC': ['0.59', 1],
      'USDT-POLYGON': ['0.0002', 120],
      'USDT-SOL': ['0.0007', 1],
      'USDT-ARBITRUM': ['0.021', 1],
    });
    expect(order(list)).toEqual([
      'USDT-SOL',
      'USDT-TRX',
      'USDT-POLYGON',
      'USDT-ARBITRUM',
      'USDT-BSC',
      'ETH_USDT',
    ]);
  });

  it('follow the own chain of a coin, which its name alone means', () => {
    const list = coins({
      BTC: ['2.1', 600],
      BTC_LIGHTNING: ['0.021', 1],
      ETH: ['0.68', 12],
      'ETH-ARBITRUM': ['0.02', 1],
      'ETH-BASE': ['0.003', 2],
    });
    expect(order(list)).toEqual(['BTC', 'BTC_LIGHTNING', 'ETH', 'ETH-BASE', 'ETH-ARBITRUM']);
  });

  it('move neither assets nor the networks of another asset', () => {
    const list = coins({
      BTC: ['2.1', 600],
      BTC_LIGHTNING: ['0.021', 1],
      'USDT-TRX': ['3.8', 3],
      ETH: ['0.68', 12],
      ETH_USDT: ['2.1', 12],
      LTC: ['0.002', 150],
      'USDT-SOL': ['0.0007', 1],
    });
    expect(order(list)).toEqual([
      'BTC',
      'BTC_LIGHTNING',
      'USDT-SOL',
      'ETH',
      'USDT-TRX',
      'LTC',
      'ETH_USDT',
    ]);
  });

  it('stay by use while their fees differ little', () => {
    const list = coins({
      ETH_USDC: ['2.1', 12],
      'USDC-SOL': ['0.0008', 1],
      'USDC-BASE': ['0.03', 2],
      'USDC-POLYGON': ['0.0002', 2],
      'USDC-ARBITRUM': ['0.021', 1],
    });
    expect(order(list)).toEqual([
      'USDC-SOL',
      'ETH_USDC',
      'USDC-POLYGON',
      'USDC-BASE',
      'USDC-ARBITRUM',
    ]);
  });

  it('take any number of a service as a fee', () => {
    const list = coins({
      'USDT-TRX': ['3.8', 3],
      ETH_USDT: ['-1', 12],
      'USDT-BSC': ['1'.padEnd(30, '0'), 1],
      'USDT-SOL': [`0.${'0'.repeat(30)}7`, 1],
    });
    expect(order(list)).toEqual(['USDT-SOL', 'USDT-TRX', 'USDT-BSC', 'ETH_USDT']);
  });

  it('are last with an unknown fee, and stay where none is known', () => {
    expect(
      order(coins({ 'USDT-TRX': [null, 3], ETH_USDT: [null, 12], 'USDT-POLYGON': ['0.0002', 2] })),
    ).toEqual(['USDT-POLYGON', 'USDT-TRX', 'ETH_USDT']);
    const unknown = coins({ ETH_USDC: [null, 12], 'USDC-SOL': [null, 1], 'USDC-BASE': [null, 2] });
    expect(order(unknown)).toEqual(['ETH_USDC', 'USDC-SOL', 'USDC-BASE']);
  });
});
