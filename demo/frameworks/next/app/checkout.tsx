'use client';
import { useState } from 'react';

/** The tag is in the page that the server sends; the browser only adds what listens to it. */
export function Checkout({ server, order }: { server: string; order: string }) {
  const [said, setSaid] = useState('');
  return (
    <>
      <p role="status">{said}</p>
      <crypto-checkout
        server={server}
        order={order}
        oncheckout-change={({ to }) => to === 'seen' && setSaid('We see your payment.')}
        oncheckout-paid={({ checkout }) => setSaid(`Thank you! We pack order ${checkout.order.order_id}.`)}
      />
    </>
  );
}
