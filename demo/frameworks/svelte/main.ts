import '@crypto-checkout/elements';
import { mount } from 'svelte';
import Shop from './shop.svelte';
import './shop.css';

mount(Shop, { target: document.querySelector('#shop')! });
