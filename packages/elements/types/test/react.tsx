/** @jsxImportSource react */

export const shop = (
  <>
    <crypto-checkout
      server="https://pay.example"
      order="token"
      mode="inline"
      theme="dark"
      className="pay"
      style={{
        '--crypto-checkout-accent': 'red',
        '--crypto-checkout-radius': '0',
        maxWidth: '40rem',
      }}
      oncheckout-paid={({ checkout }) => checkout.order.order_id}
      oncheckout-change={({ from, to }) => from + to}
      oncheckout-error={({ code }) => code === 'network'}
      ref={(element) => element?.refresh()}
    />
    <crypto-qr value="bitcoin:bc1q" size={25} />
    {/* @ts-expect-error -- there is no such theme */}
    <crypto-checkout theme="pink" />
    {/* @ts-expect-error -- there is no such custom property */}
    <crypto-checkout style={{ '--crypto-checkout-acent': 'red' }} />
    {/* @ts-expect-error -- what an event holds is known */}
    <crypto-checkout oncheckout-paid={({ checkout }) => checkout.price} />
    {/* @ts-expect-error -- `checkout` is what is shown, read-only: the id is `checkoutId` */}
    <crypto-checkout checkout="c8e1" />
  </>
);
