import { startRealNodes, type RealNodes } from '../support/real-nodes.ts';
import { Stack } from '../support/stack.ts';
import { median, range, type Line } from './line.ts';

const PAYMENTS = 12;

/** From a lightning payment that the node has settled to the buyer's view that shows it. */
export async function lightningOnScreen(): Promise<Line[]> {
  const nodes = await startRealNodes();
  const stack = await Stack.start(nodes.settings, ['gateway', 'bff']);
  const times: number[] = [];
  try {
    for (let number = 0; number < PAYMENTS; number += 1)
      times.push(await payAndWatch(stack, nodes, number));
  } finally {
    await stack.stop();
    await nodes.stop();
  }
  return [
    {
      what: "a settled lightning payment until the buyer's view shows it",
      value: median(times),
      unit: 'ms',
      digits: 0,
      atMost: 300,
      detail: `${range(times, 0)} ms, ${PAYMENTS} payments by Electrum`,
    },
  ];
}

async function payAndWatch(stack: Stack, nodes: RealNodes, number: number): Promise<number> {
  const order = { order_id: `seen-${number}`, amount: '3.00', currency: 'USD' };
  const { id } = await stack.asShop('/checkouts', { order });
  const { payment } = await stack.asShop<{
    payment: { lightning: { payment_request: string } };
  }>(`/checkouts/${id}/payment`, { kind: 'BTC_LIGHTNING' });
  const end = new AbortController();
  const stream = await fetch(`${stack.publicUrl}/checkouts/${id}/events`, { signal: end.signal });
  const shown = untilShown(stream);
  await nodes.electrum('lnpay', { invoice: payment.lightning.payment_request });
  const at = await shown;
  end.abort();
  return at - (await nodes.settledAt());
}

/** The time at which the stream shows the payment. */
async function untilShown(stream: Response): Promise<number> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of stream.body!) {
    text += decoder.decode(part, { stream: true });
    if (text.includes('"stage":"complete"')) return Date.now();
  }
  throw new Error('The stream ended before the payment was shown');
}
