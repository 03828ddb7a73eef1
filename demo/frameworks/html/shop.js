const buy = document.querySelector('#buy');
const said = document.querySelector('#said');
const checkout = document.querySelector('crypto-checkout');

async function order() {
  buy.disabled = true;
  // The price is the server's: it makes the order and signs it.
  const answer = await fetch('/frameworks/orders', {
    method: 'POST',
    body: new URLSearchParams({ product: 'mug' }),
  });
  const { token, server } = await answer.json();
  checkout.server = server;
  checkout.order = token;
  checkout.hidden = false;
  buy.hidden = true;
}

buy.addEventListener('click', () => void order());

checkout.addEventListener('checkout-change', ({ to }) => {
  if (to === 'seen') said.textContent = 'Payment detected.';
});
checkout.addEventListener('checkout-paid', ({ checkout: { order } }) => {
  said.textContent = `Thank you! We pack order ${order.order_id}.`;
});
