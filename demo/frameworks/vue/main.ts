import '@crypto-checkout/elements';
import { createApp } from 'vue';
import Shop from './shop.vue';
import './shop.css';

createApp(Shop).mount('#shop');
