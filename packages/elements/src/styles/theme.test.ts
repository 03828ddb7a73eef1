import { expect } from '@open-wc/testing';
import { type Colour, contrast, over, readColour } from './colour.ts';
import { checkout } from '../../test/support/fixture.ts';
import { FakeServer, deep, open, settled, until } from '../../test/support/fake-server.ts';
import { SITUATIONS } from '../../test/support/situations.ts';

/** Themes with unreadable text, codes or buttons. */
const HOSTILE: Record<string, string> = {
  'grey on grey':
    '--crypto-checkout-background: #777; --crypto-checkout-text: #888; --crypto-checkout-accent: #7a7a7a; --crypto-checkout-warning: #777',
  'white on white':
    '--crypto-checkout-text: #fff; --crypto-checkout-accent: #fff; --crypto-checkout-background: #fff',
  'black on black':
    '--crypto-checkout-text: #000; --crypto-checkout-accent: #111; --crypto-checkout-background: #000',
  'a yellow accent': '--crypto-checkout-accent: yellow',
  'a red background':
    '--crypto-checkout-background: red; --crypto-checkout-danger: red; --crypto-checkout-success: #f00',
  'see-through text': '--crypto-checkout-text: rgb(0 0 0 / 10%)',
  'a see-through background':
    '--crypto-checkout-background: transparent; --crypto-checkout-text: #fafafa',
  'wide colours':
    '--crypto-checkout-background: color(display-p3 0.4 0.9 0.4); --crypto-checkout-text: oklch(0.9 0.1 140)',
  'no colours':
    '--crypto-checkout-background: nonsense; --crypto-checkout-text: 12px; --crypto-checkout-accent: url(x)',
};
/** The same with `::part` rules. */
const RULES: Record<string, string> = {
  'text on itself': 'crypto-checkout::part(text) { color: #fff; background: #fff }',
  'hidden values':
    'crypto-checkout::part(value), crypto-checkout::part(label) { color: transparent }',
  'faint notes':
    'crypto-checkout::part(note) { color: #ddd !important } crypto-checkout::part(heading) { opacity: 0.05 }',
  'buttons without words':
    'crypto-checkout::part(option), crypto-checkout::part(wallet-link) { color: #eee; background: #fff }',
};

function read(colour: string): Colour {
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = `color-mix(in srgb, ${colour}, ${colour})`;
  const found = readColour(getComputedStyle(probe).color)!;
  probe.remove();
  return found;
}

/** The lowest contrast of all text. */
function worst(element: Element): number {
  const inks = deep(element, '*').filter(
    (one) =>
      one.getClientRects().length &&
      [...one.childNodes].some((node) => node instanceof Text && node.data.trim()),
  );
  expect(inks.length).to.be.greaterThan(5);
  return Math.min(
    ...inks.map((one) => {
      const { color, opacity } = getComputedStyle(one);
      const [red, green, blue, alpha] = read(color);
      return contrast([red, green, blue, alpha * Number(opacity)], behind(one));
    }),
  );
}

function behind(element: Element): Colour {
  const layers: Colour[] = [];
  for (let at: Node | null = element; at; at = at instanceof ShadowRoot ? at.host : at.parentNode) {
    const layer = at instanceof Element ? read(getComputedStyle(at).backgroundColor) : null;
    if (layer) layers.push(layer);
  }
  return layers.reduceRight((below, layer) => over(layer, below), [1, 1, 1, 1] as Colour);
}

describe('themes', () => {
  let server: FakeServer;
  let style: HTMLStyleElement;
  beforeEach(() => {
    server = new FakeServer();
    server.start();
    style = document.head.appendChild(document.createElement('style'));
  });
  afterEach(() => {
    server.stop();
    style.remove();
    document.querySelectorAll('crypto-checkout').forEach((element) => element.remove());
  });

  it('do not affect unset tokens', async () => {
    server.state = checkout('pay');
    const looksOf = (element: Element): string[] => {
      const [base, button, image] = ['[part~=base]', '[part~=copy-button]', '[part=image]'].map(
        (part) => getComputedStyle(deep(element, part)[0]!),
      );
      return [
        base!.borderRadius,
        base!.font,
        base!.backgroundColor,
        base!.borderColor,
        button!.borderRadius,
        button!.color,
        image!.inlineSize,
      ];
    };
    const plain = looksOf((await open({ theme: 'light' })).element);
    const broken = [
      'accent: notacolour',
      'background: undefined',
      'text: 12px',
      'radius: big',
      'font: Georgia',
      'qr-size: wide',
    ];
    const { element } = await open({
      theme: 'light',
      style: broken.map((token) => `--crypto-checkout-${token}`).join(';'),
    });
    await until(() => deep(element, '[part~=base]')[0]!.hasAttribute('style'));
    expect(looksOf(element)).to.deep.equal(plain);
    element.setAttribute(
      'style',
      '--crypto-checkout-radius: 3px; --crypto-checkout-background: #fffaf0',
    );
    await until(() => getComputedStyle(deep(element, '[part~=base]')[0]!).borderRadius === '3px');
    expect(looksOf(element)[2]).to.equal('rgb(255, 250, 240)');
  });

  it('do not affect unset tokens of a button', async () => {
    const lines: string[] = [];
    const { warn } = console;
    console.warn = (line: string) => void lines.push(line);
    const shown = async (look: string): Promise<HTMLElement> => {
      const button = document.body.appendChild(document.createElement('crypto-checkout-button'));
      for (const [name, value] of Object.entries({ demo: 'pay#1', theme: 'light', style: look }))
        button.setAttribute(name, value);
      await until(() => deep(button, '[part=button]').length);
      return deep(button, '[part=button]')[0]!;
    };
    const looksOf = (button: HTMLElement): string[] => {
      const { color, backgroundColor, borderRadius } = getComputedStyle(button);
      return [color, backgroundColor, borderRadius];
    };
    try {
      const plain = await shown('');
      const broken = await shown('--crypto-checkout-accent: reed; --crypto-checkout-radius: round');
      await until(() => looksOf(broken).join() === looksOf(plain).join());
      expect(lines).to.have.length(2);
      expect(lines.join('\n')).to.match(
        /--crypto-checkout-accent: reed is no colour.*\n.*--crypto-checkout-radius: round is no length/,
      );
      const own = await shown('--crypto-checkout-accent: rgb(0 90 80)');
      expect(looksOf(own)[1]).to.equal('rgb(0, 90, 80)');
    } finally {
      console.warn = warn;
      document.querySelectorAll('crypto-checkout-button').forEach((button) => button.remove());
    }
  });

  it('need no correction by default', async () => {
    for (const theme of ['light', 'dark'])
      for (const name of ['pay', 'late', 'paid', 'failed']) {
        server.state = SITUATIONS[name]!.view;
        const { element } = await open({ theme });
        expect(worst(element), `${theme}: ${name}`).to.be.at.least(4.5);
        expect(deep(element, '[style]:not([aria-live])'), `${theme}: ${name}`).to.have.length(0);
        element.remove();
      }
  });

  for (const [name, tokens] of Object.entries(HOSTILE))
    it(`are corrected if unreadable: ${name}`, async () => {
      style.textContent = `crypto-checkout { ${tokens} }`;
      for (const theme of ['light', 'dark']) {
        server.state = SITUATIONS['failed']!.view;
        const { element } = await open({ theme });
        await until(() => worst(element) >= 4.5, `${theme}: ${name}`);
        await expect(element).to.be.accessible();
        element.remove();
      }
    });

  for (const [name, theme, tokens] of [
    [
      'light',
      'light',
      {
        text: '#6d4c5b',
        background: '#fff5f8',
        success: '#b5ead7',
        warning: '#ffdac1',
        danger: '#ff9aa2',
      },
    ],
    [
      'dark',
      'dark',
      {
        text: '#d8d0e0',
        background: '#16121c',
        success: '#0f4a30',
        warning: '#5a3c00',
        danger: '#5c0d14',
      },
    ],
  ] as const)
    it(`keep their hue when corrected, with a console warning: pastels, ${name}`, async () => {
      const lines: string[] = [];
      const { warn } = console;
      console.warn = (line: string) => void lines.push(line);
      const hueOf = (colour: string): number => {
        const [red, green, blue] = read(colour);
        return (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI;
      };
      style.textContent = `crypto-checkout { ${Object.entries(tokens)
        .map(([token, value]) => `--crypto-checkout-${token}: ${value}`)
        .join(';')} }`;
      server.state = SITUATIONS['paid']!.view;
      try {
        const { element } = await open({ theme });
        await until(() => worst(element) >= 4.5 && lines.length >= 3);
        const base = getComputedStyle(deep(element, '[part~=base]')[0]!);
        expect(base.color).to.equal(
          `rgb(${read(tokens.text)
            .slice(0, 3)
            .map((value) => Math.round(value * 255))
            .join(', ')})`,
        );
        for (const token of ['success', 'warning', 'danger'] as const) {
          const drawn = base.getPropertyValue(`--crypto-checkout-${token}`);
          expect(Math.abs(hueOf(drawn) - hueOf(tokens[token])), `${token}: ${drawn}`).to.be.below(
            4,
          );
          expect(
            Math.max(...read(drawn).slice(0, 3)) - Math.min(...read(drawn).slice(0, 3)),
            `${token}: ${drawn}`,
          ).to.be.above(0.15);
          expect(lines.join('\n')).to.contain(
            `--crypto-checkout-${token}: ${tokens[token]} could not be read`,
          );
        }
        expect(lines.filter((line) => line.includes('could not be read'))).to.have.length(3);
        const badge = getComputedStyle(deep(element, '[part=badge]')[0]!);
        expect(badge.color).to.equal(
          `rgb(${read(base.getPropertyValue('--crypto-checkout-success'))
            .slice(0, 3)
            .map((value) => Math.round(value * 255))
            .join(', ')})`,
        );
      } finally {
        console.warn = warn;
      }
    });

  it('ignore invalid colours, also beside an unreadable one', async () => {
    const lines: string[] = [];
    const { warn } = console;
    console.warn = (line: string) => void lines.push(line);
    server.state = SITUATIONS['paid']!.view;
    try {
      await open({
        theme: 'light',
        style: '--crypto-checkout-success: banana; --crypto-checkout-text: #eef',
      });
      await until(() =>
        lines.some((line) => line.includes('--crypto-checkout-text: #eef could not be read')),
      );
      await until(() => lines.some((line) => line.includes('--crypto-checkout-success: banana')));
      expect(lines.filter((line) => line.includes('banana'))).to.deep.equal([
        'crypto-checkout: --crypto-checkout-success: banana is no colour, such as #2746c7: it is as if it were not set',
      ]);
    } finally {
      console.warn = warn;
    }
  });

  for (const [name, rules] of Object.entries(RULES))
    it(`are corrected for parts: ${name}`, async () => {
      style.textContent = rules;
      server.state = SITUATIONS['pay']!.view;
      const { element } = await open({ theme: 'light' });
      await until(() => worst(element) >= 4.5, name);
    });

  it('have controls that match their background on every device', async () => {
    for (const [theme, background, scheme] of [
      ['dark', '#fffef5', 'light'],
      ['light', '#101418', 'dark'],
    ] as const) {
      style.textContent = `crypto-checkout { --crypto-checkout-background: ${background} }`;
      server.state = checkout('choose');
      const { element } = await open({ theme });
      await until(
        () =>
          getComputedStyle(deep(element, 'input[type=radio]')[0] ?? element).colorScheme === scheme,
      );
      await until(() => worst(element) >= 4.5, background);
      element.remove();
    }
  });

  it('keep readable colours of the shop', async () => {
    style.textContent =
      'crypto-checkout { --crypto-checkout-accent: #ffdd00; --crypto-checkout-background: #fffef5 }';
    server.state = checkout('expired');
    const { element } = await open({ theme: 'light' });
    await until(() => worst(element) >= 4.5);
    expect(getComputedStyle(deep(element, '[part=renew-button]')[0]!).backgroundColor).to.equal(
      'rgb(255, 221, 0)',
    );
    expect(getComputedStyle(deep(element, '[part=base]')[0]!).backgroundColor).to.equal(
      'rgb(255, 254, 245)',
    );
  });

  it('are checked again when they change', async () => {
    server.state = checkout('pay');
    const { element } = await open({ theme: 'light' });
    element.setAttribute('style', '--crypto-checkout-text: #eee');
    await until(
      () => getComputedStyle(deep(element, '[part=base]')[0]!).color !== 'rgb(238, 238, 238)',
    );
    expect(worst(element)).to.be.at.least(4.5);
    element.removeAttribute('style');
    await until(() => !deep(element, '[part=base]')[0]!.getAttribute('style'));
  });

  it('never change the QR code: black on white with a quiet zone, large enough to scan', async () => {
    const paint =
      'fill: yellow !important; background: #222 !important; color: red; filter: invert(1) !important; opacity: 0.1 !important; mask: linear-gradient(#0000, #000) !important; border-radius: 50% !important';
    style.textContent = `crypto-checkout { filter: invert(1) !important; --crypto-checkout-qr-size: 12px; --crypto-checkout-radius: 50% }
      crypto-checkout::part(image) { ${paint}; inline-size: 20px !important } crypto-checkout::part(qr) { ${paint} }`;
    for (const theme of ['light', 'dark']) {
      server.state = checkout('pay');
      const { element } = await open({ theme });
      await settled(element);
      const [code] = deep(element, '[part=image]');
      const [holder] = deep(element, 'crypto-qr');
      for (const one of [code!, holder!]) {
        const seen = getComputedStyle(one);
        expect(seen.backgroundColor).to.equal('rgb(255, 255, 255)');
        expect([seen.filter, seen.opacity, seen.maskImage]).to.deep.equal(['none', '1', 'none']);
      }
      expect(getComputedStyle(element).filter).to.equal('none');
      expect(getComputedStyle(code!.querySelector('path')!).fill).to.equal('rgb(0, 0, 0)');
      expect(getComputedStyle(code!).borderRadius).to.equal('0px');
      // At most a corner of the quiet zone.
      expect(getComputedStyle(holder!).borderRadius).to.match(/^(min\(50%, )?12px\)?$/);
      expect(code!.getBoundingClientRect().width).to.be.at.least(160);
      expect(code!.getAttribute('viewBox')).to.match(/^-4 -4 /);
      element.remove();
    }
  });
});
