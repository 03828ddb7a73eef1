'use client';
import { useEffect, useRef, useState } from 'react';

/**
 * The tag is in the page that the server sends; the browser only adds what listens to it. React
 * attaches no listeners of custom events to what a server drew (react/react#35446), so they are
 * added by hand; in a page that only the browser draws, `oncheckout-paid={…}` works.
 */
export function Checkout({ server, order }: { server: string; order: string }) {
  const tag = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    tag.current?.addEventListener(
      'checkout-change',
      ({ to }) => to === 'seen' && setSaid('Payment detected.'),
      { signal },
    );
    tag.current?.addEventListener(
      'checkout-paid',
      ({ checkout }) => setSaid(`Thank you! We pack order ${checkout.order.order_id}.`),
      {
        signal,
      },
    );
    return () => controller.abort();
  }, []);
  return (
    <>
      <p role="status">{said}</p>
      <crypto-checkout ref={tag} server={server} order={order} />
    </>
  );
}
