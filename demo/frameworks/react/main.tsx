import '@crypto-checkout/elements';
import { createRoot } from 'react-dom/client';
import { Shop } from './shop.tsx';
import './shop.css';

createRoot(document.querySelector('#shop')!).render(<Shop />);
