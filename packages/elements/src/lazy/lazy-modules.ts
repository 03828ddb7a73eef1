import {
  setAdviceLoader,
  setControllerLoader,
  setExchangeLoader,
  setFrameLoader,
  setHandOffLoader,
  setMarksLoader,
  setReceiptLoader,
  setRefundLoader,
  setSearchLoader,
  setStatusLoader,
  setThemeLoader,
  setTroubleLoader,
} from '../core/lazy-registry.ts';

setStatusLoader(() => import('./status.ts'));
setTroubleLoader(() => import('./trouble.ts'));
setHandOffLoader(() => import('./hand-off.ts'));
setMarksLoader(() => import('./marks.ts'));
setExchangeLoader(() => import('./exchange.ts'));
setReceiptLoader(() => import('./receipt.ts'));
setRefundLoader(() => import('./refund.ts'));
setControllerLoader(() => import('./controller.ts'));
setFrameLoader(() => import('../frame/frame.ts'));
setSearchLoader(() => import('../components/coin-picker/search.ts'));
setThemeLoader(() => import('../styles/theme.ts'));
setAdviceLoader(() => import('./advice.ts'));
