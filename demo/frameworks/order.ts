/** The shop server's answer: a signed order, and the checkout server's address. */
export interface Order {
  id: string;
  token: string;
  server: string;
}

/** Requests a new order. The server sets the price. */
export async function createOrder(product: string): Promise<Order> {
  const answer = await fetch('/frameworks/orders', {
    method: 'POST',
    body: new URLSearchParams({ product }),
  });
  if (!answer.ok) throw new Error(`The shop answered ${answer.status}.`);
  return (await answer.json()) as Order;
}
