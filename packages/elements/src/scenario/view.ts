import { type Checkout, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import { encodeQr } from '@crypto-checkout/protocol/qr';
import { type PaymentFacts, paymentOf, timestamp } from './payment.ts';
import { coinOf } from './price.ts';
import { receivedOf } from './received.ts';
import { refundsOf } from './refund.ts';

const SHELF = [
  'BTC',
  'BTC_LIGHTNING',
  'ETH',
  'ETH-BASE',
  'ETH_USDT',
  'USDT-TRX',
  'USDT-SOL',
  'USDC-POLYGON',
  'SOL',
  'XRP',
  'LTC',
  'DOGE',
  'TON',
  'L-BTC',
];
/** Stages in which the server lists the coins, because one can be chosen. */
const CHOICE = [...OPEN_STAGES, 'choose', 'expired', 'late'];
const ORDER: Checkout['order'] = {
  order_id: 'A-1042',
  description: 'Harbour mug',
  amount: { amount: '18.50', currency: 'USD' },
};

/** A step of a scene as the server would return it. */
export function viewOf(facts: Omit<PaymentFacts, 'price'> & { version: number }): Checkout {
  const { scene, step, now, version } = facts;
  const order = scene.reusable
    ? { ...ORDER, order_id: null, amount: null }
    : (scene.view?.order ?? ORDER);
  const payment = step.stage === 'choose' ? null : paymentOf({ ...facts, price: order.amount });
  const received = receivedOf(step, payment);
  return {
    id: 'demo',
    stage: step.stage,
    notes: step.notes ?? [],
    version,
    network: 'mainnet',
    server_time: timestamp(now),
    expires_at: payment?.expires_at ?? null,
    merchant: { name: 'Quay & Co.', contact: 'https://shop.example/help', logo: null, legal: null },
    coins:
      scene.reusable || !CHOICE.includes(step.stage)
        ? []
        : (scene.kinds ?? SHELF).map((kind) => coinOf(kind, order.amount, scene.perDollar)),
    payment: payment && { ...payment, qr: encodeQr(payment.strings.qr, { mask: 'fixed' }) },
    shop_url: 'https://shop.example/orders/1042',
    onramp: null,
    ...scene.view,
    received,
    ...refundsOf(step, received),
    order,
    success_url: isPaidStage(step.stage) ? (scene.view?.success_url ?? null) : null,
  };
}
