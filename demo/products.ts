/** The three things that the demo shop sells. Prices live on the server. */
export interface Product {
  id: string;
  name: string;
  text: string;
  amount: string;
  currency: string;
  picture: string;
}

export const PRODUCTS: readonly Product[] = [
  {
    id: 'mug',
    name: 'Harbour mug',
    text: 'Stoneware, thrown by hand, holds a proper cup.',
    amount: '18.50',
    currency: 'USD',
    picture: `<rect x="46" y="52" width="72" height="76" rx="10" fill="#2f6f73"/><path d="M118 68h10a18 18 0 0 1 0 40h-10" fill="none" stroke="#2f6f73" stroke-width="10"/><rect x="46" y="80" width="72" height="14" fill="#f3e9d8"/><path d="M64 40c-6-8 6-12 0-20M82 40c-6-8 6-12 0-20M100 40c-6-8 6-12 0-20" fill="none" stroke="#c9b79c" stroke-width="4" stroke-linecap="round"/>`,
  },
  {
    id: 'notebook',
    name: 'Field notebook',
    text: '128 dotted pages that lie flat, thread-sewn.',
    amount: '9.00',
    currency: 'USD',
    picture: `<rect x="52" y="30" width="84" height="108" rx="6" fill="#c8553d"/><rect x="52" y="30" width="16" height="108" rx="6" fill="#a84330"/><rect x="82" y="52" width="40" height="22" rx="3" fill="#f7eee0"/><path d="M120 30v108" stroke="#f2c14e" stroke-width="5"/>`,
  },
  {
    id: 'tote',
    name: 'Linen tote',
    text: 'Washed linen, long handles, room for the market.',
    amount: '24.00',
    currency: 'USD',
    picture: `<path d="M48 66h84l8 76H40z" fill="#e2c391"/><path d="M66 66c0-48 48-48 48 0" fill="none" stroke="#b8935a" stroke-width="7"/><circle cx="90" cy="104" r="17" fill="#2f6f73"/><path d="M90 92v24M78 104h24" stroke="#e2c391" stroke-width="4"/>`,
  },
];

export const productOf = (id: string): Product | undefined =>
  PRODUCTS.find((product) => product.id === id);
