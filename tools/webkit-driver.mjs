// Debian's WebKitGTK over classic WebDriver: Xvfb + WebKitWebDriver + MiniBrowser, no npm dependency.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';

const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const freePort = () =>
  new Promise((resolve, reject) => {
    const s = createServer().once('error', reject);
    s.listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const MINI = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';
export const webkitAvailable = () =>
  existsSync('/usr/bin/WebKitWebDriver') && existsSync(MINI) && existsSync('/usr/bin/Xvfb');

/**
 * Starts a browser.
 * @param options additional command line options of the browser
 */
export const launchWebKit = async (options = []) => {
  // Xvfb picks a free display number and writes it to fd 3
  const xvfb = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const display = await new Promise((resolve, reject) => {
    xvfb.once('error', reject);
    xvfb.stdio[3].once('data', (d) => resolve(`:${String(d).trim()}`));
  });
  const port = await freePort();
  const wd = spawn('WebKitWebDriver', [`--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: display },
  });
  const call = async (method, path, body, ms = 30_000) => {
    const r = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ms),
    });
    const { value } = await r.json();
    if (!r.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  };
  const stop = async () => {
    wd.kill();
    xvfb.kill();
    await sleep(50);
  };
  try {
    for (let i = 0; ; i++) {
      try {
        await call('GET', '/status');
        break;
      } catch (e) {
        if (i > 50) throw e;
        await sleep(50);
      }
    }
    const s = await call('POST', '/session', {
      capabilities: {
        alwaysMatch: {
          'webkitgtk:browserOptions': { binary: MINI, args: ['--automation', ...options] },
        },
      },
    });
    const S = `/session/${s.sessionId}`;
    const page = {
      version: s.capabilities.browserVersion,
      goto: (url) => call('POST', `${S}/url`, { url }),
      url: () => call('GET', `${S}/url`),
      /** Runs an async function body in the page. */
      run: async (script, ...args) => {
        const r = await call('POST', `${S}/execute/async`, {
          script: `const done = arguments[arguments.length - 1], args = [...arguments].slice(0, -1); (async (...args) => { ${script} })(...args).then((v) => done({ v }), (e) => done({ e: String(e) }));`,
          args,
        });
        if (r.e) throw new Error(r.e);
        return r.v;
      },
      /** Waits until the function body returns a truthy value. */
      until: async (script, ms = 5000) => {
        const end = Date.now() + ms;
        for (;;) {
          const v = await page.run(script);
          if (v) return v;
          if (Date.now() > end) throw new Error(`timed out: ${script}`);
          await sleep(50);
        }
      },
      /**
       * Performs a real click through WebDriver actions. A function body finds the element, also
       * inside shadow roots.
       */
      click: async (find) => {
        const el = await call('POST', `${S}/execute/sync`, { script: find, args: [] });
        await call('POST', `${S}/element/${el[ELEMENT]}/click`, {});
      },
      /** Presses and releases a key by its WebDriver name. */
      press: (value) =>
        call('POST', `${S}/actions`, {
          actions: [
            {
              type: 'key',
              id: 'keyboard',
              actions: [
                { type: 'keyDown', value },
                { type: 'keyUp', value },
              ],
            },
          ],
        }),
      screenshot: async () => {
        // Waits until the page is drawn. Without scripts no event reports a frame.
        if (!options.includes('--enable-javascript=false'))
          await page.run(
            'await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))',
          );
        await sleep(200);
        return Buffer.from(await call('GET', `${S}/screenshot`), 'base64');
      },
    };
    return {
      page,
      close: async () => {
        await call('DELETE', S).catch(() => {});
        await stop();
      },
    };
  } catch (e) {
    await stop();
    throw e;
  }
};
