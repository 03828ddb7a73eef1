// Debian's WebKitGTK over classic WebDriver: Xvfb + WebKitWebDriver + MiniBrowser, no npm
// dependency.
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
 * Starts a display and the driver. Returns a function that calls the driver, and one that stops
 * both.
 */
const startDriver = async () => {
  // Xvfb picks a free display number and writes it to fd 3
  const xvfb = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const display = await new Promise((resolve, reject) => {
    xvfb.once('error', reject);
    xvfb.stdio[3].once('data', (d) => resolve(`:${String(d).trim()}`));
  });
  const port = await freePort();
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: display },
  });
  const call = async (method, path, body, ms = 30_000) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ms),
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  };
  const stop = async () => {
    driver.kill();
    xvfb.kill();
    await sleep(50);
  };
  return { call, stop };
};

const untilReady = async (call) => {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call('GET', '/status');
    } catch (error) {
      if (attempt > 50) throw error;
      await sleep(50);
    }
  }
};

/** A key that is pressed and released. */
const keyPress = (value) => ({
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
});

const pageOf = (call, { sessionId, capabilities }, hasScripts) => {
  const session = `/session/${sessionId}`;
  const page = {
    version: capabilities.browserVersion,
    goto: (url) => call('POST', `${session}/url`, { url }),
    url: () => call('GET', `${session}/url`),
    /** Runs an async function body in the page. */
    run: async (script, ...args) => {
      const result = await call('POST', `${session}/execute/async`, {
        script: `const done = arguments[arguments.length - 1], args = [...arguments].slice(0, -1); (async (...args) => { ${script} })(...args).then((v) => done({ v }), (e) => done({ e: String(e) }));`,
        args,
      });
      if (result.e) throw new Error(result.e);
      return result.v;
    },
    /** Waits until the function body returns a truthy value. */
    until: async (script, ms = 5000) => {
      const end = Date.now() + ms;
      for (;;) {
        const value = await page.run(script);
        if (value) return value;
        if (Date.now() > end) throw new Error(`timed out: ${script}`);
        await sleep(50);
      }
    },
    /**
     * Performs a real click through WebDriver actions. A function body finds the element, also
     * inside shadow roots.
     */
    click: async (find) => {
      const element = await call('POST', `${session}/execute/sync`, { script: find, args: [] });
      await call('POST', `${session}/element/${element[ELEMENT]}/click`, {});
    },
    /** Presses and releases a key by its WebDriver name. */
    press: (value) => call('POST', `${session}/actions`, keyPress(value)),
    screenshot: async () => {
      // Waits until the page is drawn. Without scripts no event reports a frame.
      if (hasScripts)
        await page.run(
          'await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))',
        );
      await sleep(200);
      return Buffer.from(await call('GET', `${session}/screenshot`), 'base64');
    },
  };
  return page;
};

/**
 * Starts a browser.
 * @param options additional command line options of the browser
 */
export const launchWebKit = async (options = []) => {
  const { call, stop } = await startDriver();
  try {
    await untilReady(call);
    const session = await call('POST', '/session', {
      capabilities: {
        alwaysMatch: {
          'webkitgtk:browserOptions': { binary: MINI, args: ['--automation', ...options] },
        },
      },
    });
    return {
      page: pageOf(call, session, !options.includes('--enable-javascript=false')),
      close: async () => {
        await call('DELETE', `/session/${session.sessionId}`).catch(() => {});
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
