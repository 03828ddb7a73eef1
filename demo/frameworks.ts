import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { Order } from './orders.ts';
import { policyFor } from './policy.ts';
import { productOf, type Product } from './products.ts';

/** The examples, built by `demo/frameworks/build.mjs` and `test.mjs`. */
export const FRAMEWORKS = ['html', 'react', 'vue', 'svelte', 'angular'] as const;

/** Trusted Types policy names of frameworks. */
const TRUSTED_TYPES = ['vue', 'svelte-trusted-html', 'angular'];

export interface FrameworkOptions {
  /** Folder of the built examples. */
  folder: string;
  checkoutServer: string;
  script: { src: string; integrity: string };
  createOrder(product: Product): Order;
  /** A signed token of an order. */
  sign(order: Order): string;
}

/** Serves the examples, each at /frameworks/<name>/, and the endpoint that creates their orders. */
export function frameworkRoutes({
  folder,
  checkoutServer,
  script,
  createOrder,
  sign,
}: FrameworkOptions): Hono {
  const app = new Hono();
  app.use('*', async (c, next) => {
    await next();
    c.header('content-security-policy', policyFor(checkoutServer, TRUSTED_TYPES));
  });
  app.post('/orders', async (c) => {
    const product = productOf(new URLSearchParams(await c.req.text()).get('product') ?? '');
    if (!product) return c.json({ error: 'no such product' }, 404);
    const order = createOrder(product);
    return c.json({ id: order.id, token: sign(order), server: checkoutServer }, 201);
  });
  for (const name of FRAMEWORKS) {
    const page = join(folder, name, 'index.html');
    app.get(`/${name}`, (c) => c.redirect(`/frameworks/${name}/`));
    app.get(`/${name}/`, (c) => {
      if (!existsSync(page)) return c.notFound();
      const html = readFileSync(page, 'utf8');
      return c.html(
        html
          .replaceAll('%CHECKOUT_SCRIPT%', script.src)
          .replaceAll('%CHECKOUT_INTEGRITY%', script.integrity),
      );
    });
  }
  app.use(
    '/*',
    serveStatic({ root: folder, rewriteRequestPath: (path) => path.replace(/^\/frameworks/, '') }),
  );
  return app;
}
