import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { KINDS } from '@crypto-checkout/protocol/kind';
import { byPopularity } from '@crypto-checkout/protocol/popularity';
import { gasOf } from '@crypto-checkout/protocol/gas';
import { usualSeconds } from '@crypto-checkout/protocol/usual-time';
import { expect, fixture, html } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { drawAnew } from '../checkout/draw-anew.ts';
import { loadSearch } from '../../core/lazy-registry.ts';
import type { CryptoCoinPicker } from '../../index.ts';
import { WHITE, contrast, readColour } from '../../styles/colour.ts';
import { COINS } from '../../../test/support/fixture.ts';
import { pause, until } from '../../../test/support/fake-server.ts';
import { pressing } from '../../../test/support/pressing.ts';

const STORAGE_KEY = 'crypto-checkout-kind';
/** Every kind, as the server sends it. */
const ALL: CheckoutCoin[] = byPopularity(KINDS).map((kind) => ({
  kind: kind.kind,
  name: kind.name,
  network: kind.network,
  symbol: kind.symbol,
  approx: '12.34',
  fee_usd: null,
  seconds: usualSeconds(kind, 2),
  gas: gasOf(kind),
}));

/** The kinds outside every collapsed list. */
const FIRST = 'BTC BTC_LIGHTNING USDT-TRX ETH_USDT ETH ETH-BASE LTC ETH_USDC USDC-SOL SOL'.split(
  ' ',
);

const draw = async (
  coins: readonly CheckoutCoin[] = ALL,
  kind: string | null = null,
  locale = 'en',
): Promise<CryptoCoinPicker> => {
  const element = await fixture<CryptoCoinPicker>(
    html`<crypto-coin-picker .coins=${coins} .kind=${kind} locale=${locale}></crypto-coin-picker>`,
  );
  await until(
    () => element.shadowRoot!.querySelector('[part=usual]')?.textContent.trim(),
    'the usual time',
  );
  await element.updateComplete;
  return element;
};
const find = (element: CryptoCoinPicker, selector: string): HTMLElement[] => [
  ...element.shadowRoot!.querySelectorAll<HTMLElement>(selector),
];
const radios = (element: CryptoCoinPicker): HTMLInputElement[] =>
  find(element, '[type=radio]') as HTMLInputElement[];
const visible = (element: CryptoCoinPicker): string[] =>
  radios(element)
    .filter((radio) => radio.checkVisibility())
    .map(({ value }) => value);
const labelOf = (element: CryptoCoinPicker, kind: string): string =>
  radios(element)
    .find(({ value }) => value === kind)!
    .closest('label')!
    .innerText.replace(/\s+/g, ' ')
    .trim();
const chosen = (element: CryptoCoinPicker): string | undefined =>
  radios(element).find(({ checked }) => checked)?.value;

/** A click of a pointer, and the time in which a coin is picked. */
async function tap(target: Element): Promise<void> {
  target.dispatchEvent(
    new MouseEvent('click', { bubbles: true, cancelable: true, composed: true, detail: 1 }),
  );
  await pause(10);
}

/** Number of lines of the longest-wrapped word. */
function linesOf(text: Text, start: number, { length }: string): number {
  const range = document.createRange();
  range.setStart(text, start);
  range.setEnd(text, start + length);
  return new Set([...range.getClientRects()].map(({ top }) => top)).size;
}

describe('the coin picker', () => {
  beforeEach(() => localStorage.removeItem(STORAGE_KEY));
  after(() => localStorage.removeItem(STORAGE_KEY));

  it('loads the marks of less common coins once one is on the screen', async () => {
    // The first test of this file: marks stay loaded.
    const frame = document.body.appendChild(document.createElement('div'));
    frame.style.cssText = 'block-size: 150px; overflow: auto';
    const element = frame.appendChild(document.createElement('crypto-coin-picker'));
    element.coins = ALL;
    const mark = (kind: string): Element | null =>
      radios(element)
        .find(({ value }) => value === kind)
        ?.closest('[part=asset]')
        ?.querySelector('[part=mark] svg') ?? null;
    await until(() => mark('BTC'), 'the common marks');
    await pause(200);
    expect(mark('XRP')).to.equal(null);
    // A page may move the element.
    frame.append(element);
    frame.scrollTop = frame.scrollHeight;
    await until(() => mark('XRP'), 'the other marks');
    frame.remove();
  });

  it('contains every kind once and shows every coin, the common ones on the first screen', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    frame.style.width = '360px';
    const element = await draw();
    frame.append(element);
    expect(new Set(radios(element).map(({ value }) => value)).size).to.equal(ALL.length);
    expect(radios(element)).to.have.length(ALL.length);
    // One tap for any coin: on its name where it is on several networks.
    const assets = find(element, '[part=asset]');
    expect(assets.filter((asset) => !asset.checkVisibility())).to.deep.equal([]);
    for (const asset of assets)
      expect(asset.querySelectorAll('input').length === 0 ? null : visible(element)).to.include(
        asset.querySelector('input')!.value,
      );
    expect(visible(element).slice(0, FIRST.length)).to.deep.equal(FIRST);
    const last = radios(element).find(({ value }) => value === FIRST.at(-1))!;
    const bottom = last.closest('[part=asset]')!.getBoundingClientRect().bottom;
    expect(bottom - element.getBoundingClientRect().top).to.be.below(800);
    expect(frame.scrollWidth).to.be.at.most(360);
    await expect(element).to.be.accessible();
    for (const summary of find(element, 'summary')) summary.click();
    await element.updateComplete;
    expect(visible(element)).to.have.length(ALL.length);
    // Only the page scrolls.
    const [list] = find(element, 'fieldset');
    expect(list!.scrollHeight).to.equal(list!.clientHeight);
    expect(frame.scrollWidth).to.be.at.most(360);
    await expect(element).to.be.accessible();
    frame.remove();
  });

  for (const locale of ['en', 'de', 'ru'])
    it(`breaks no word of a coin on the smallest screen: ${locale}`, async () => {
      const element = await draw(ALL, null, locale);
      // Content width on the hosted page at 320 pixels, with a scroll bar at 400 % zoom.
      const frame = document.body.appendChild(document.createElement('div'));
      frame.style.cssText =
        'width: 259px; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word';
      frame.append(element);
      for (const summary of find(element, 'summary')) summary.click();
      await element.updateComplete;
      expect(radios(element).filter((radio) => radio.checkVisibility())).to.have.length(ALL.length);
      const texts = find(element, 'label *, summary *, [part=asset] *').flatMap((one) =>
        [...one.childNodes].filter((node) => node instanceof Text),
      );
      // Kinds such as `BTC_LIGHTNING_LNURL` and `CELO-CELO` are not words.
      const words = texts.flatMap((text) =>
        [...text.data.matchAll(/(?<!\S)[^\s_-]+(?!\S)/g)].map((found) => ({ text, found })),
      );
      expect(words.length).to.be.above(ALL.length);
      const broken = words.filter(({ text, found }) => linesOf(text, found.index, found[0]) > 1);
      expect(broken.map(({ found }) => found[0])).to.deep.equal([]);
      const [chain, lightning] = find(element, '.networks label').map((label) =>
        label.getBoundingClientRect(),
      );
      expect(chain!.right).to.be.below(lightning!.left);
      expect(frame.scrollWidth).to.be.at.most(259);
      frame.remove();
    });

  it('has only inline content in labels and summaries, as HTML allows', async () => {
    const element = await draw();
    expect(find(element, 'label :is(div, p), summary :is(div, p)')).to.have.length(0);
  });

  it('shows on-chain bitcoin and lightning side by side', async () => {
    const element = await draw();
    const [chain, lightning] = ['BTC', 'BTC_LIGHTNING'].map((kind) =>
      radios(element)
        .find(({ value }) => value === kind)!
        .closest('label')!,
    );
    expect(chain!.getBoundingClientRect().top).to.be.closeTo(
      lightning!.getBoundingClientRect().top,
      40,
    );
    expect(chain!.getBoundingClientRect().right).to.be.below(
      lightning!.getBoundingClientRect().left,
    );
  });

  it('names the network as exchanges do, with the usual time', async () => {
    const element = await draw();
    for (const summary of find(element, 'summary')) summary.click();
    expect(labelOf(element, 'USDT-TRX')).to.equal('TRON (TRC20) 6 sec');
    expect(labelOf(element, 'ETH-BASE')).to.equal('Base 4 sec');
    expect(labelOf(element, 'BTC')).to.equal('Bitcoin 20 min');
    expect(labelOf(element, 'BTC_P2SH')).to.contain('Bitcoin · BTC_P2SH');
  });

  it('groups the networks of an asset, even if its symbol differs', async () => {
    const element = await draw(
      ALL.filter(({ name }) => ['Bitcoin', 'Tether', 'Liquid Bitcoin'].includes(name)),
    );
    for (const summary of find(element, 'summary')) summary.click();
    const tether = find(element, '[part=asset]').find((asset) =>
      asset.querySelector('[value=L-USDT]'),
    )!;
    expect(tether.querySelector('[value=USDT-TRX]')).to.not.equal(null);
    expect(labelOf(element, 'L-USDT')).to.contain('Liquid');
    expect(
      find(element, '[part=asset]').filter(
        (asset) => asset.querySelector('b')?.textContent === 'Tether',
      ),
    ).to.have.length(1);
    const alone = await draw(ALL.filter(({ kind }) => ['BTC', 'L-USDT'].includes(kind)));
    expect(labelOf(alone, 'L-USDT')).to.contain('Tether Liquid');
  });

  for (const locale of ['en', 'ru', 'ar'])
    it(`keeps fee and time on one line, within their row: ${locale}`, async () => {
      const coins = ALL.map((coin) => ({ ...coin, fee_usd: '2.1' }));
      for (const width of [300, 260]) {
        const element = await draw(coins, null, locale);
        element.style.cssText = `inline-size: ${width}px; font: 16px/1.5 system-ui, sans-serif`;
        element.dir = locale === 'ar' ? 'rtl' : 'ltr';
        const hints = find(element, '[part=usual]').filter((one) => one.checkVisibility());
        expect(hints.length).to.be.at.least(FIRST.length);
        for (const hint of hints) {
          const range = document.createRange();
          range.selectNodeContents(hint);
          const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
          expect(Math.max(...tops) - Math.min(...tops), hint.innerText).to.be.below(8);
          const [inner, outer] = [range, hint.closest('label')!].map((one) =>
            one.getBoundingClientRect(),
          );
          expect(inner!.left, hint.innerText).to.be.at.least(outer!.left);
          expect(inner!.right, hint.innerText).to.be.at.most(outer!.right);
        }
        element.remove();
      }
    });

  it('folds other networks behind a named button whose arrow turns', async () => {
    const element = await draw();
    const [more] = find(element, '.networks summary');
    const arrow = (): string => getComputedStyle(more!, '::after').content;
    expect(more!.getAttribute('aria-label')).to.match(/^More networks \(\+\d+\)$/);
    const folded = arrow();
    more!.click();
    expect(arrow()).to.not.equal(folded);
  });

  for (const dir of ['ltr', 'rtl'])
    it(`keeps the button of more networks beside the others on narrow screens: ${dir}`, async () => {
      const element = await draw(ALL.map((coin) => ({ ...coin, fee_usd: '2.1' })));
      element.dir = dir;
      for (const width of [480, 292, 260]) {
        element.style.cssText = `inline-size: ${width}px; font: 16px/1.5 system-ui, sans-serif`;
        const folds = find(element, '.networks > details');
        expect(folds.length).to.be.at.least(3);
        for (const fold of folds) {
          const button = fold.querySelector('summary')!.getBoundingClientRect();
          const others = [...fold.parentElement!.querySelectorAll(':scope > label')].map((one) =>
            one.getBoundingClientRect(),
          );
          const what = `${width}px: ${fold.parentElement!.innerText}`;
          const { top, bottom } = others.at(-1)!;
          expect([button.top, button.bottom].map(Math.round), what).to.deep.equal(
            [top, bottom].map(Math.round),
          );
          for (const { left, right } of others)
            if (dir === 'ltr') expect(right, what).to.be.below(button.left);
            else expect(left, what).to.be.above(button.right);
        }
      }
    });

  it('shows three assets with networks within 315 pixels of a phone', async () => {
    const element = await draw(ALL.map((coin) => ({ ...coin, fee_usd: '2.1' })));
    element.style.cssText = 'inline-size: 300px; font: 16px/1.5 system-ui, sans-serif';
    const [first, , third] = find(element, '[part=asset]').map((one) =>
      one.getBoundingClientRect(),
    );
    expect(third!.bottom - first!.top).to.be.at.most(315);
    for (const target of find(element, '.networks label, .networks summary'))
      if (target.checkVisibility())
        expect(target.getBoundingClientRect().height).to.be.at.least(44);
  });

  it('formats approximate amounts with six significant digits and grouping', async () => {
    const about = async (locale: string): Promise<string[]> => {
      const given: Record<string, string> = {
        'USDC-POLYGON': '18.5',
        ETH_SHIB: '1234567.8',
        BTC: '0.0003',
        LTC: '2',
        DOGE: '24680',
      };
      const coins = ALL.filter(({ kind }) => given[kind]).map((coin) => ({
        ...coin,
        approx: given[coin.kind]!,
      }));
      const element = await draw(coins, null, locale);
      const texts = Object.keys(given).map(
        (kind) => /≈ ([\d.,]+)/.exec(labelOf(element, kind))![1]!,
      );
      element.remove();
      return texts;
    };
    expect(await about('en')).to.deep.equal(['18.50', '1,234,570', '0.0003', '2.00', '24,680']);
    expect(await about('de')).to.deep.equal(['18,50', '1.234.570', '0,0003', '2,00', '24.680']);
  });

  it('has a search field with enough contrast in light and dark', async () => {
    for (const theme of ['light', 'dark']) {
      const element = await draw();
      element.style.colorScheme = theme;
      const [search] = find(element, '[type=search]');
      const [edge, hint] = [
        getComputedStyle(search!).borderTopColor,
        getComputedStyle(search!, '::placeholder').color,
      ].map((colour) => readColour(colour)!);
      const behind = theme === 'light' ? WHITE : readColour('rgb(18, 24, 31)')!;
      expect(contrast(edge!, behind), `${theme} edge`).to.be.at.least(3);
      expect(contrast(hint!, behind), `${theme} hint`).to.be.at.least(4.5);
      element.remove();
    }
  });

  it('formats the usual time in the language, and leaves it out if it is unknown', async () => {
    const coins = COINS.map((coin, index) => ({
      ...coin,
      seconds: [1200, 1, 7200, 0][index % 4]!,
    }));
    const element = await draw(coins, null, 'de');
    expect(labelOf(element, 'BTC_BECH32')).to.contain('20 Min.');
    expect(labelOf(element, 'BTC_LIGHTNING')).to.contain('1 Sek.');
    expect(labelOf(element, 'ETH')).to.contain('2 Std.');
    expect(labelOf(element, 'ETH-BASE')).to.not.match(/Sek/);
  });

  it('searches all coins, expands results and collapses again', async () => {
    const element = await draw();
    const search = find(element, '[type=search]')[0] as HTMLInputElement;
    const type = async (text: string): Promise<void> => {
      search.value = text;
      search.dispatchEvent(new Event('input'));
      await loadSearch();
      await element.updateComplete;
    };
    const before = visible(element);
    await type('usdt tron');
    expect(visible(element)).to.deep.equal(['USDT-TRX']);
    await type('shib');
    expect(visible(element)).to.deep.equal(['ETH_SHIB', 'SHIB-BSC']);
    await type('nothing like it');
    expect(visible(element)).to.deep.equal([]);
    expect(element.shadowRoot!.textContent).to.contain('No coins match “nothing like it”.');
    await expect(element).to.be.accessible();
    await type('');
    expect(visible(element)).to.deep.equal(before);
  });

  it('draws a mark for each of our coins, distinct by colour or network, and letters that fit for others', async () => {
    const other = { kind: 'TRUMPET', name: 'Trumpet', network: 'Brass', symbol: 'TRUMPET' };
    const element = await draw([...ALL, { ...COINS[0]!, ...other }]);
    for (const summary of find(element, 'summary')) summary.click();
    const bare = (): HTMLElement[] =>
      find(element, '[part=mark]').filter((mark) => !mark.querySelector('svg'));
    await until(() => bare().length === 1, 'the marks');
    const marks = bare();
    const markOf = (name: string): string =>
      find(element, '[part=asset]')
        .find((asset) => asset.querySelector('b')?.textContent === name)!
        .querySelector('[part=mark]')!.innerHTML;
    const names = ['Bitcoin', 'Tether', 'USD Coin', 'Bridged USD Coin', 'XRP', 'Solana'];
    expect(new Set(names.map(markOf)).size).to.equal(names.length);
    const networks = find(element, '.spot').map(({ innerHTML }) => innerHTML);
    expect(new Set(networks).size).to.be.above(8);
    expect(marks.map(({ textContent }) => textContent)).to.deep.equal(['TRUM']);
    for (const mark of marks) {
      expect(mark.textContent.trim()).to.match(/^[A-Za-z\d.]{2,4}$/);
      const range = document.createRange();
      range.selectNodeContents(mark);
      expect(range.getBoundingClientRect().width, mark.textContent).to.be.below(
        mark.getBoundingClientRect().width,
      );
    }
  });

  it('draws every sign within its disc, and clips no drawing', async () => {
    const element = await draw();
    for (const summary of find(element, 'summary')) summary.click();
    await until(() => find(element, '.spot svg').length, 'the marks');
    const drawings = find(element, 'svg').filter((one) => one.checkVisibility());
    expect(drawings.length).to.be.above(20);
    for (const drawing of drawings) {
      expect(getComputedStyle(drawing).overflow).to.equal('visible');
      const discs = drawing.querySelectorAll('circle:not(.rim)');
      const signs = drawing.querySelectorAll('circle:not(.rim) + path');
      expect(signs, drawing.innerHTML).to.have.length(discs.length);
      for (const [at, sign] of signs.entries()) {
        const box = sign.getBoundingClientRect();
        const disc = discs[at]!.getBoundingClientRect();
        expect(box.width, sign.outerHTML).to.be.within(disc.width / 4, disc.width);
        expect(box.height, sign.outerHTML).to.be.within(disc.height / 4, disc.height);
      }
    }
  });

  it('widens no page, and cuts no line', async () => {
    const page = document.documentElement;
    localStorage.setItem(STORAGE_KEY, 'USDT-TRX');
    for (const locale of ['en', 'ar']) {
      const frame = document.body.appendChild(document.createElement('div'));
      frame.dir = locale === 'ar' ? 'rtl' : 'ltr';
      frame.style.cssText = 'padding: 30px; max-inline-size: 320px';
      frame.append(await draw(ALL, null, locale));
      const element = frame.firstElementChild as CryptoCoinPicker;
      const submit = find(element, '[part=submit]')[0]!.getBoundingClientRect();
      const box = element.getBoundingClientRect();
      expect(submit.left, locale).to.be.at.least(box.left - 1);
      expect(submit.right, locale).to.be.at.most(box.right + 1);
      expect(page.scrollWidth, locale).to.be.at.most(page.clientWidth);
      const lines = find(element, '.name [dir=auto]');
      expect(lines[0]!.textContent, locale).to.contain(locale === 'en' ? 'Used last time' : 'TRON');
      for (const line of lines) expect(line.scrollWidth).to.be.at.most(line.clientWidth);
      frame.remove();
    }
  });

  it('breaks a fee and a duration at most after the dot', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    const coins = ALL.slice(0, 2).map((coin) => ({ ...coin, fee_usd: '2.10' }));
    for (const [width, lines] of [
      [328, 2],
      [600, 1],
    ] as const) {
      frame.style.width = `${width}px`;
      for (const locale of ['en', 'de', 'ar']) {
        const element = await draw(coins, null, locale);
        frame.append(element);
        for (const hint of find(element, '[part=usual]')) {
          const text = [...hint.childNodes].find((node) => node instanceof Text)!;
          for (const part of text.data.split(/(?<=·) /))
            expect(linesOf(text, text.data.indexOf(part), part), `${locale}: ${part}`).to.equal(1);
          expect(linesOf(text, 0, text.data), `${locale}: ${text.data}`).to.be.at.most(lines);
        }
        element.remove();
      }
    }
    frame.remove();
  });

  it('picks the only search result, and asks for a choice among several', async () => {
    const element = await draw();
    const search = find(element, '[type=search]')[0] as HTMLInputElement;
    const picked: string[] = [];
    element.addEventListener('coin-pick', (event) => {
      picked.push(event.kind);
      event.preventDefault();
    });
    const type = async (text: string): Promise<void> => {
      search.value = text;
      search.dispatchEvent(new Event('input'));
      await loadSearch();
      await element.updateComplete;
    };
    const said = (): string => find(element, '[aria-live]')[0]?.textContent ?? '';
    const go = (): void => element.shadowRoot!.querySelector<HTMLElement>('[part=submit]')!.click();
    const asked = (): boolean =>
      find(element, 'p').some(
        (line) => line.textContent === 'Choose a network' && line.checkVisibility(),
      );
    await type('doge');
    await until(() => said().includes('Dogecoin'), 'the only one is spoken');
    go();
    expect(picked).to.deep.equal(['DOGE']);
    expect(chosen(element)).to.equal('DOGE');
    await type('usdt');
    await until(
      () => said().includes(`Search: ${visible(element).length}`),
      'how many are found is spoken',
    );
    go();
    expect(picked).to.deep.equal(['DOGE']);
    await until(asked, 'what to do is seen');
    await until(() => said().includes('Choose a network'), 'and spoken');
    expect(visible(element)).to.include(
      (element.shadowRoot!.activeElement as HTMLInputElement).value,
    );
    await expect(element).to.be.accessible();
    radios(element)
      .find(({ value }) => value === 'USDT-TRX')!
      .click();
    await element.updateComplete;
    expect(asked()).to.equal(false);
    go();
    expect(picked).to.deep.equal(['DOGE', 'USDT-TRX']);
    // The first coin is checked, and only like the one that was searched.
    (find(element, '[value=BTC]')[0] as HTMLInputElement).checked = true;
    await type('coin');
    expect(visible(element)).to.include('BTC');
    go();
    expect(picked).to.deep.equal(['DOGE', 'USDT-TRX']);
    await until(() => find(element, '.note').length, 'the request');
    expect((element.shadowRoot!.activeElement as HTMLInputElement).value).to.equal('BTC');
    go();
    expect(picked.splice(2), 'after the request').to.deep.equal(['BTC']);
    for (const text of ['Bitcoin', ' btc ', 'биткоин']) {
      await type(text);
      go();
      expect(picked.splice(2), text).to.deep.equal(['BTC']);
    }
    await type('nothing like it');
    await until(() => said().includes('No coins match'), 'that there is none is spoken');
    go();
    expect(picked).to.deep.equal(['DOGE', 'USDT-TRX']);
    expect(asked()).to.equal(false);
  });

  it('finds coins by their other names', async () => {
    const element = await draw();
    const found = async (text: string): Promise<string[]> => {
      const search = find(element, '[type=search]')[0] as HTMLInputElement;
      search.value = text;
      search.dispatchEvent(new Event('input'));
      await loadSearch();
      await element.updateComplete;
      return visible(element);
    };
    for (const text of [
      'USDT-TRC20',
      'usdt trc20',
      'USDT on TRON',
      'USDT (TRC-20)',
      'ＵＳＤＴ trc20',
      ' usdt  tron ',
    ])
      expect(await found(text), text).to.deep.equal(['USDT-TRX']);
    expect(await found('toncoin')).to.deep.equal(['TON']);
    expect(await found('dogcoin')).to.deep.equal(['DOGE']);
    expect(await found('btcoin')).to.include('BTC');
    expect(await found('ehtereum')).to.include('ETH');
    expect(await found('rpple')).to.deep.equal(['XRP']);
    expect(await found('lite coin')).to.deep.equal(['LTC']);
    for (const text of ['ビットコイン', '比特币', 'биткоин', 'بيتكوين'])
      expect(await found(text), text).to.include.members(['BTC', 'BTC_LIGHTNING']);
    expect(await found('xx')).to.deep.equal([]);
    for (const [text, kind] of [
      ['ripple', 'XRP'],
      ['matic', 'POL'],
      ['binance smart chain', 'BNB'],
      ['stablecoin', 'ETH_USDT'],
      ['stablecoin', 'ETH_PAX'],
      ['dollar', 'USDC-POLYGON'],
      ['usd', 'USDT-TRX'],
      ['tether trc20', 'USDT-TRX'],
      ['bridged', 'USDCE-POLYGON'],
      ['etherum', 'ETH'],
      ['bitcion', 'BTC'],
      ['litecion', 'LTC'],
      ['doegcoin', 'DOGE'],
      ['teather', 'USDT-TRX'],
    ])
      expect(await found(text!), text).to.include(kind);
    expect(await found('ripple')).to.deep.equal(['XRP']);
    expect(await found('usd coin')).to.not.include('ETH');
    expect(await found('doge coin')).to.deep.equal(['DOGE']);
    expect(await found('coin')).to.include.members(['BTC', 'LTC', 'DOGE']);
  });

  it('shows the coin of that name first, then tokens on its network', async () => {
    const element = await draw();
    const search = find(element, '[type=search]')[0] as HTMLInputElement;
    await loadSearch();
    const type = async (text: string): Promise<string[]> => {
      search.value = text;
      search.dispatchEvent(new Event('input'));
      await element.updateComplete;
      return visible(element);
    };
    for (const text of ['eth', 'ether', 'Ethereum']) {
      const found = await type(text);
      expect(found[0], text).to.equal('ETH');
      // "eth" is in "Tether", too.
      expect(found, text).to.include('ETH_USDT').and.to.not.include('USDT-TRX');
    }
    for (const [text, first] of [
      ['tron', 'TRX'],
      ['ton', 'TON'],
      ['binance', 'BNB'],
      ['bsc', 'BNB'],
      ['matic', 'POL'],
      ['usd coin', 'ETH_USDC'],
      ['usdc.e', 'USDCE-ARBITRUM'],
      ['usdt', 'USDT-TRX'],
      ['coin', 'BTC'],
      ['コイン', 'BTC'],
    ] as const)
      expect((await type(text))[0], text).to.equal(first);
    expect(await type('tron')).to.include('USDT-TRX');
  });

  it('keeps the choice, and no radio button stays checked for another coin, when a search moves the rows', async () => {
    const element = await draw();
    const search = find(element, '[type=search]')[0] as HTMLInputElement;
    await loadSearch();
    const type = async (text: string): Promise<void> => {
      search.value = text;
      search.dispatchEvent(new Event('input'));
      await element.updateComplete;
    };
    for (const [from, to] of [
      ['', 'usdt'],
      ['usdt', 'eth'],
      ['eth', ''],
    ] as const)
      for (const { value } of radios(element).slice(0, 6)) {
        await type(from);
        // As before the script: without an event.
        radios(element).find((radio) => radio.value === value)!.checked = true;
        await type(to);
        await element.updateComplete;
        expect(chosen(element), `${from} to ${to}`).to.deep.equal(value);
      }
    // The last coin has its place among the others then.
    localStorage.setItem(STORAGE_KEY, 'ETH_USDT');
    const returning = await draw();
    expect(visible(returning)[0]).to.equal('ETH_USDT');
    const field = find(returning, '[type=search]')[0] as HTMLInputElement;
    field.value = 'eth';
    field.dispatchEvent(new Event('input'));
    await returning.updateComplete;
    expect(visible(returning)[0]).to.equal('ETH');
    expect(chosen(returning)).to.equal('BTC');
  });

  it('shows the choice that stays when a search is cleared, also in a collapsed list', async () => {
    const element = await draw();
    const search = find(element, '[type=search]')[0] as HTMLInputElement;
    await loadSearch();
    const isShown = (radio: Element): boolean =>
      radio.closest('label')!.checkVisibility({ contentVisibilityAuto: true });
    const hidden = radios(element).filter((radio) => !isShown(radio));
    expect(hidden.length).to.be.above(10);
    for (const { value } of hidden) {
      for (const text of ['usd', '']) {
        search.value = text;
        search.dispatchEvent(new Event('input'));
        await element.updateComplete;
        const radio = radios(element).find((one) => one.value === value)!;
        if (text) radio.checked = true;
        await element.updateComplete;
      }
      expect(chosen(element)).to.equal(value);
      expect(isShown(find(element, ':checked')[0]!), value).to.equal(true);
    }
  });

  it('takes any word, also the name of a stage or of a member of every object', async () => {
    drawAnew('choose', html`<p>Another template</p>`);
    const element = await draw();
    const search = find(element, '[type=search]')[0] as HTMLInputElement;
    await loadSearch();
    for (const text of ['choose', 'constructor', 'BTC']) {
      search.value = text;
      search.dispatchEvent(new Event('input'));
      await element.updateComplete;
      expect(find(element, 'fieldset')[0]!.innerText, text).to.not.contain('Another template');
      expect(radios(element), text).to.have.length(ALL.length);
    }
    expect(visible(element)[0]).to.equal('BTC');
  });

  it('says which coin the shop does not accept, and clears the search', async () => {
    const element = await draw();
    const search = find(element, '[type=search]')[0] as HTMLInputElement;
    for (const text of ['monero', 'XMR', 'avax', 'Cardanno']) {
      search.value = text;
      search.dispatchEvent(new Event('input'));
      await loadSearch();
      await element.updateComplete;
      expect(find(element, 'fieldset')[0]!.innerText, text).to.match(
        /This shop doesn’t accept (Monero|Avalanche|Cardano)\./,
      );
      expect(find(element, '[part=submit]')[0]!.hidden).to.equal(true);
    }
    await expect(element).to.be.accessible();
    find(element, '[part=clear-button]')[0]!.click();
    await element.updateComplete;
    expect(search.value).to.equal('');
    expect(element.shadowRoot!.activeElement).to.equal(search);
    expect(visible(element)).to.include('BTC');
  });

  it('goes on at once after a tap, and only after Continue with keys', async () => {
    const element = await draw();
    const picked: string[] = [];
    element.addEventListener('coin-pick', (event) => {
      picked.push(event.kind);
      event.preventDefault();
    });
    const label = radios(element)
      .find(({ value }) => value === 'LTC')!
      .closest('label')!;
    // Arrow keys and screen readers' focus click without a pointer.
    label.querySelector('input')!.click();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(picked).to.deep.equal([]);
    for (const target of [label.querySelector('b')!, label.querySelector('input')!])
      await tap(target);
    expect(picked).to.deep.equal(['LTC', 'LTC']);
    expect(chosen(element)).to.equal('LTC');
  });

  it('takes the first network on screen after a tap on a coin with several', async () => {
    const element = await draw();
    const picked: string[] = [];
    element.addEventListener('coin-pick', (event) => {
      picked.push(event.kind);
      event.preventDefault();
    });
    const nameOf = (kind: string): Element =>
      radios(element)
        .find(({ value }) => value === kind)!
        .closest('section')!
        .querySelector('b')!;
    await tap(nameOf('BTC_LIGHTNING'));
    expect(picked).to.deep.equal(['BTC']);
    expect(chosen(element)).to.equal('BTC');
    await tap(nameOf('ETH_USDT'));
    expect(picked).to.deep.equal(['BTC', 'USDT-TRX']);
    // Between the networks and on their collapsed list no network is meant.
    for (const other of find(element, '.networks, .networks summary')) await tap(other);
    expect(picked).to.have.length(2);
    const search = find(element, '[type=search]')[0] as HTMLInputElement;
    search.value = 'tether polygon';
    search.dispatchEvent(new Event('input'));
    await loadSearch();
    await element.updateComplete;
    expect(visible(element)).to.deep.equal(['USDT-POLYGON']);
    await tap(nameOf('USDT-POLYGON'));
    expect(picked).to.deep.equal(['BTC', 'USDT-TRX', 'USDT-POLYGON']);
  });

  it('shows Continue only for a coin that the buyer marked', async () => {
    localStorage.setItem(STORAGE_KEY, 'XRP');
    const element = await draw();
    await until(() => chosen(element) === 'XRP', 'the last coin');
    const submit = find(element, '[part=submit]')[0]!;
    const isShown = (): boolean => getComputedStyle(submit).clipPath === 'none';
    const networks = find(element, '.networks summary')[0]!;
    for (const place of [find(element, '[type=search]')[0]!, networks]) {
      place.focus();
      place.click();
      expect(isShown(), place.localName).to.equal(false);
    }
    submit.focus();
    // A page in the background has its focus later.
    await until(isShown, 'for a keyboard');
    submit.blur();
    const marked = radios(element).find(({ value }) => value === 'LTC')!;
    marked.checked = true;
    expect(isShown(), 'after a choice that led nowhere').to.equal(true);
    const { backgroundColor } = getComputedStyle(marked.closest('label')!);
    expect(backgroundColor).to.not.equal('rgba(0, 0, 0, 0)');
  });

  it('gives lightning in a row of its own in the unit of the payment that follows', async () => {
    const coins = ALL.filter(({ kind }) => ['BTC', 'BTC_LIGHTNING', 'LTC'].includes(kind)).map(
      (coin) => ({ ...coin, approx: '0.00019271' }),
    );
    const element = await draw(coins);
    expect(find(element, '[part=approx]')[0]!.innerText).to.equal('≈ 0.00019271 BTC');
    localStorage.setItem(STORAGE_KEY, 'BTC_LIGHTNING');
    const returning = await draw(coins);
    await until(() => chosen(returning) === 'BTC_LIGHTNING', 'the last coin');
    expect(labelOf(returning, 'BTC_LIGHTNING').match(/≈ .*/)?.[0]).to.equal('≈ 19,271 sats');
    expect(labelOf(returning, 'BTC')).to.contain('≈ 0.00019271 BTC');
  });

  it('shows the usual network fee, rounded to what matters', async () => {
    const fees = ['1.2', '0.0004', null];
    const coins = ALL.filter(({ kind }) => ['LTC', 'DOGE', 'XRP'].includes(kind)).map(
      (coin, at) => ({ ...coin, fee_usd: fees[at]!, seconds: 600 }),
    );
    const element = await draw(coins);
    expect(
      coins.map(({ kind }) => labelOf(element, kind).match(/(\S+ fee · )?10 min/)?.[0]),
    ).to.deep.equal(['~$1.20 fee · 10 min', '<$0.01 fee · 10 min', '10 min']);
  });

  it('keeps the focus and its content while a request is pending', async () => {
    const element = await draw();
    const first = radios(element)[0]!;
    first.focus();
    element.addEventListener('coin-pick', (event) => event.preventDefault());
    find(element, '[part=submit]')[0]!.click();
    expect(localStorage.getItem(STORAGE_KEY)).to.equal(first.value);
    const before = radios(element);
    for (const busy of [true, false]) {
      element.busy = busy;
      element.requestUpdate();
      await element.updateComplete;
      await element.updateComplete;
    }
    expect(radios(element)).to.deep.equal(before);
    expect(labelOf(element, first.value)).not.to.contain('Used last time');
    expect(element.shadowRoot!.activeElement).to.equal(first);
  });

  it('marks the tapped coin while its payment is requested, also the preselected one', async () => {
    const element = await draw();
    element.addEventListener('coin-pick', (event) => {
      event.preventDefault();
      element.busy = true;
    });
    const rowOf = (kind: string): HTMLElement =>
      radios(element)
        .find(({ value }) => value === kind)!
        .closest('label')!;
    for (const kind of ['BTC', 'LTC']) {
      const row = rowOf(kind);
      const before = row.getBoundingClientRect().toJSON();
      expect(getComputedStyle(row).backgroundColor, kind).to.equal('rgba(0, 0, 0, 0)');
      await tap(row);
      await element.updateComplete;
      expect(getComputedStyle(row).backgroundColor, kind).to.not.equal('rgba(0, 0, 0, 0)');
      expect(row.getBoundingClientRect().toJSON()).to.deep.equal(before);
      element.busy = false;
      await element.updateComplete;
    }
  });

  it('lets no other coin look chosen while a request is pending', async () => {
    const element = await draw();
    element.addEventListener('coin-pick', (event) => event.preventDefault());
    const before = chosen(element);
    element.busy = true;
    await element.updateComplete;
    const other = radios(element).find(({ value }) => value !== before)!;
    const tap = new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 });
    let submits = 0;
    element.shadowRoot!.addEventListener('submit', () => (submits += 1));
    other.closest('label')!.dispatchEvent(tap);
    await pause(50);
    expect(chosen(element)).to.equal(before);
    expect(submits).to.equal(0);
    // The last choice stays the one that was sent.
    expect(localStorage.getItem(STORAGE_KEY)).to.equal(null);
  });

  it('remembers the last kind and puts it first', async () => {
    const first = await draw();
    const usdt = radios(first).find(({ value }) => value === 'USDT-TRX')!;
    usdt.click();
    first.shadowRoot!.querySelector('form')!.requestSubmit();
    first.remove();
    const next = await draw();
    expect(radios(next)[0]!.value).to.equal('USDT-TRX');
    expect(chosen(next)).to.equal('USDT-TRX');
    expect(labelOf(next, 'USDT-TRX')).to.contain('Used last time');
    expect(radios(next)).to.have.length(ALL.length);
    await expect(next).to.be.accessible();
  });

  it('names the last coin once if it has a single network', async () => {
    localStorage.setItem(STORAGE_KEY, 'LTC');
    expect(labelOf(await draw(), 'LTC')).to.match(/^Litecoin Used last time .* ≈ 12.34 LTC/);
    localStorage.setItem(STORAGE_KEY, 'L-USDT');
    expect(labelOf(await draw(), 'L-USDT')).to.contain('L-USDT on Liquid · Used last time');
  });

  it('names the network of a coin that is apart from its asset or on another chain', async () => {
    localStorage.setItem(STORAGE_KEY, 'BTC');
    const returning = await draw(
      ALL.filter(({ kind }) => ['BTC', 'BTC_LIGHTNING', 'LTC'].includes(kind)),
    );
    expect(radios(returning).map(({ value }) => value)).to.deep.equal([
      'BTC',
      'BTC_LIGHTNING',
      'LTC',
    ]);
    expect(labelOf(returning, 'BTC')).to.match(/^Bitcoin Bitcoin · Used last time/);
    expect(labelOf(returning, 'BTC_LIGHTNING')).to.match(/^Bitcoin Lightning .* sec ≈/);
    await expect(returning).to.be.accessible();
    localStorage.setItem(STORAGE_KEY, 'BTC_LIGHTNING');
    const other = await draw(
      ALL.filter(({ kind }) => ['BTC', 'BTC_LIGHTNING', 'LTC'].includes(kind)),
    );
    expect(labelOf(other, 'BTC')).to.match(/^Bitcoin Bitcoin 20 min ≈ 12.34 BTC$/);
    expect(labelOf(other, 'LTC')).to.not.match(/Litecoin .*Litecoin/);
    localStorage.removeItem(STORAGE_KEY);
    const few = await draw(
      ALL.filter(({ kind }) => ['BTC_LIGHTNING', 'ETH-BASE', 'DOGE'].includes(kind)),
    );
    expect(labelOf(few, 'BTC_LIGHTNING')).to.contain('Lightning');
    expect(labelOf(few, 'ETH-BASE')).to.match(/^Ethereum Base/);
    expect(labelOf(few, 'DOGE')).to.not.match(/Dogecoin.*Dogecoin/);
  });

  it('keeps the choice of the shop or the buyer above the last kind', async () => {
    localStorage.setItem(STORAGE_KEY, 'USDT-TRX');
    const given = await draw(ALL, 'LTC');
    expect(chosen(given)).to.equal('LTC');
    expect(radios(given)[0]!.value).to.equal('LTC');
    localStorage.setItem(STORAGE_KEY, 'NO_SUCH_KIND');
    expect(chosen(await draw())).to.equal('BTC');
  });

  it('works without local storage', async () => {
    const { getItem, setItem } = Storage.prototype;
    Storage.prototype.getItem = Storage.prototype.setItem = () => {
      throw new DOMException('no', 'SecurityError');
    };
    try {
      const element = await draw();
      let picked = '';
      element.addEventListener('coin-pick', (event) => (picked = event.kind));
      element.shadowRoot!.querySelector('form')!.requestSubmit();
      expect(picked).to.equal('BTC');
    } finally {
      Object.assign(Storage.prototype, { getItem, setItem });
    }
  });

  it('asks for lightning in the code of bitcoin, and of no other coin', async () => {
    const element = await draw();
    const form = element.shadowRoot!.querySelector('form')!;
    const sent: unknown[] = [];
    element.addEventListener('coin-pick', (event) => event.preventDefault());
    for (const kind of ['ETH', 'BTC']) {
      radios(element).find(({ value }) => value === kind)!.checked = true;
      form.requestSubmit();
      sent.push(Object.fromEntries(new FormData(form)));
    }
    expect(sent).to.deep.equal([{ kind: 'ETH' }, { kind: 'BTC', with_lightning: 'true' }]);
    const alone = await draw(ALL.filter(({ kind }) => kind !== 'BTC_LIGHTNING'));
    expect(find(alone, '[name=with_lightning]')).to.have.length(0);
  });

  it('is a form that needs no script', async () => {
    const element = await draw(COINS, 'ETH_USDT');
    const form = element.shadowRoot!.querySelector('form')!;
    expect(form.method).to.equal('post');
    expect(new FormData(form).get('kind')).to.equal('ETH_USDT');
    for (const radio of radios(element)) expect(radio.getAttribute('value')).to.equal(radio.value);
  });

  pressing('is used with the keyboard alone', async () => {
    const element = await draw();
    let picked = '';
    element.addEventListener('coin-pick', (event) => {
      picked = event.kind;
      event.preventDefault();
    });
    (find(element, '[type=search]')[0] as HTMLInputElement).focus();
    await sendKeys({ press: 'Tab' });
    if (element.shadowRoot!.activeElement?.localName === 'fieldset')
      await sendKeys({ press: 'Tab' });
    expect((element.shadowRoot!.activeElement as HTMLInputElement).value).to.equal('BTC');
    await sendKeys({ press: 'ArrowDown' });
    expect(chosen(element)).to.equal('BTC_LIGHTNING');
    await sendKeys({ press: 'Tab' });
    expect(element.shadowRoot!.activeElement!.localName).to.equal('summary');
    await sendKeys({ press: 'Enter' });
    expect(visible(element)).to.include('USDT-TRX');
    for (
      let step = 0;
      step < 12 && element.shadowRoot!.activeElement?.localName !== 'button';
      step++
    )
      await sendKeys({ press: 'Tab' });
    await sendKeys({ press: 'Enter' });
    expect(picked).to.equal('BTC_LIGHTNING');
  });
});
