import {
  setControllerLoader,
  setFrameLoader,
  setHandOffLoader,
  setMarksLoader,
  setPickerLoader,
  setStatusLoader,
} from '../core/lazy-registry.ts';

setStatusLoader(() => import('./status.ts'));
setHandOffLoader(() => import('./hand-off.ts'));
setMarksLoader(() => import('./marks.ts'));
setPickerLoader(() => import('./picker.ts'));
setControllerLoader(() => import('../controllers/checkout-controller.ts'));
setFrameLoader(() => import('../frame/frame.ts'));
