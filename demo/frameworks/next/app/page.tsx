import { connection } from 'next/server';
import { Checkout } from './checkout';

interface Order {
  id: string;
  token: string;
  server: string;
}

/** The server sets the price: a server component requests the signed order. */
async function createOrder(): Promise<Order> {
  const answer = await fetch(`${process.env.SHOP_URL}/frameworks/orders`, {
    method: 'POST',
    body: new URLSearchParams({ product: 'mug' }),
    cache: 'no-store',
  });
  if (!answer.ok) throw new Error(`The shop answered ${answer.status}.`);
  return (await answer.json()) as Order;
}

export default async function Shop() {
  await connection();
  const order = await createOrder();
  return (
    <main>
      <h1>Harbour mug</h1>
      <p>Stoneware, thrown by hand, holds a proper cup. $18.50</p>
      <Checkout server={order.server} order={order.token} />
      <script type="module" async src={`${order.server}/crypto-checkout.js`} />
    </main>
  );
}
