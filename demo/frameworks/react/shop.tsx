import { type ReactElement, useState } from 'react';
import { type Order, createOrder } from '../order.ts';

export function Shop(): ReactElement {
  const [order, setOrder] = useState<Order>();
  const [said, setSaid] = useState('');
  return (
    <>
      <h1>Harbour mug</h1>
      <p>Stoneware, thrown by hand, holds a proper cup. $18.50</p>
      {!order && (
        <button type="button" onClick={() => void createOrder('mug').then(setOrder)}>
          Buy
        </button>
      )}
      <p role="status">{said}</p>
      {order && (
        <crypto-checkout
          server={order.server}
          order={order.token}
          oncheckout-change={({ to }) => to === 'seen' && setSaid('Payment detected.')}
          oncheckout-paid={({ checkout }) =>
            setSaid(`Thank you! We pack order ${checkout.order.order_id}.`)
          }
        />
      )}
    </>
  );
}
