/** Following a checkout in a shop's page. */
export { ShopController as CheckoutController } from '../controllers/shop-controller.ts';
