import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { KINDS } from '@crypto-checkout/protocol/kind';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import { SCENES } from '../../packages/elements/src/scenario/list.ts';
import type { Scene } from '../../packages/elements/src/scenario/scene.ts';
import { allLocales } from '../../packages/elements/src/generated/locale-codes.ts';

const EVENTS = ['ready', 'change', 'paid', 'error', 'close'].map((name) => `checkout-${name}`);
/** Kinds with different screens for a buyer. */
const SHOWN = [
  'BTC',
  'BTC_LIGHTNING',
  'ETH',
  'ETH_USDT',
  'USDT-TRX',
  'XRP',
  'SOL',
  'TON',
  'LTC',
  'DOGE',
  'L-BTC',
];

const option = (value: string, text: string): HTMLOptionElement => new Option(text, value);

/** The form's choices, kept in the address. */
type Choice = Record<
  'demo' | 'step' | 'kind' | 'locale' | 'theme' | 'form' | 'width' | 'brand',
  string
>;

const one = (selector: string): HTMLElement => document.querySelector<HTMLElement>(selector)!;

/** The page that shows every scenario. */
export function startScenarios(form: HTMLFormElement): void {
  const field = (name: keyof Choice): HTMLSelectElement =>
    form.elements.namedItem(name) as HTMLSelectElement;
  const scenes: Record<string, Scene> = SCENES;
  field('demo').append(...Object.keys(scenes).map((name) => option(name, name)));
  field('kind').append(
    option('', 'as the scenario'),
    ...KINDS.filter(({ kind }) => SHOWN.includes(kind)).map(({ kind, symbol, network }) =>
      option(kind, `${symbol} · ${network}`),
    ),
  );
  const names = new Intl.DisplayNames('en', { type: 'language' });
  field('locale').append(
    option('', 'as the page'),
    ...allLocales.toSorted().map((code) => option(code, `${code} · ${names.of(code)}`)),
  );

  const stepsOf = (name: string): void =>
    field('step').replaceChildren(option('', 'play'), ...stepOptions(scenes[name]));
  const read = (): Choice => Object.fromEntries(new FormData(form)) as Choice;

  const show = (): void => {
    const choice = read();
    history.replaceState(
      null,
      '',
      `?${new URLSearchParams(Object.entries(choice).filter(([, value]) => value)).toString()}`,
    );
    one('#about').textContent = scenes[choice.demo]?.about ?? '';
    one('#log').replaceChildren();
    const element = elementOf(choice);
    one('#source').textContent = `${element.outerHTML.replace(/><.*/, '>')}</${element.localName}>`;
    for (const name of EVENTS) element.addEventListener(name, (event) => log(event));
    const stand = one('#stand');
    stand.dataset['width'] = choice.width;
    stand.dataset['brand'] = choice.brand;
    stand.dataset['theme'] = choice.theme;
    const below = document.createElement('div');
    for (const name of ['checkout-ready', 'checkout-change'])
      element.addEventListener(name, (event) =>
        showOnramp(below, (event as Event & { checkout: Checkout }).checkout),
      );
    stand.replaceChildren(element, below);
  };

  const wanted = new URLSearchParams(location.search);
  field('demo').value = wanted.get('demo') ?? 'buy';
  if (!field('demo').value) field('demo').value = 'buy';
  stepsOf(field('demo').value);
  for (const [name, value] of wanted)
    if (form.elements.namedItem(name)) field(name as keyof Choice).value = value;
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', ({ target }) => {
    if (target === field('demo')) stepsOf(field('demo').value);
    show();
  });
  one('#again').addEventListener('click', show);
  one('#next').addEventListener('click', () =>
    dispatchEvent(new CustomEvent('crypto-checkout-demo')),
  );
  show();
}

function stepOptions({ steps }: Pick<Scene, 'steps'> = { steps: [] }): HTMLOptionElement[] {
  return steps.map(({ stage, fault }, at) =>
    option(String(at + 1), `${at + 1} of ${steps.length}: ${fault ?? stage}`),
  );
}

/** The element with the chosen attributes. */
function elementOf(choice: Choice): HTMLElement {
  const element = document.createElement(
    choice.form === 'button' ? 'crypto-checkout-button' : 'crypto-checkout',
  );
  const attributes = {
    demo: `${choice.demo}${choice.kind && `:${choice.kind}`}${choice.step && `#${choice.step}`}`,
    mode: choice.form === 'redirect' ? 'redirect' : '',
    locale: choice.locale,
    theme: choice.theme === 'auto' ? '' : choice.theme,
  };
  for (const [name, value] of Object.entries(attributes))
    if (value) element.setAttribute(name, value);
  return element;
}

// The hosted page's section below the checkout. Its link leads to a third party, which a
// demonstration does not call.
function showOnramp(below: HTMLElement, { onramp, stage }: Checkout): void {
  const { content } = document.querySelector<HTMLTemplateElement>('#below')!;
  below.replaceChildren(
    ...(onramp && OPEN_STAGES.includes(stage) ? [content.cloneNode(true)] : []),
  );
  for (const host of below.querySelectorAll('bdi')) host.textContent = new URL(onramp!).hostname;
}

function log(event: Event): void {
  // A demonstration never navigates away after payment.
  if (event.cancelable && event.type === 'checkout-paid') event.preventDefault();
  const { from, to, stage, code, message } = event as Event &
    Record<'from' | 'to' | 'stage' | 'code' | 'message', string | undefined>;
  const item = document.createElement('li');
  item.textContent = [event.type, to && `${from} → ${to}`, stage, code && `${code}: ${message}`]
    .filter(Boolean)
    .join(' · ');
  one('#log').append(item);
}
