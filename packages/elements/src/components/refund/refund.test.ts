import { expect } from '@open-wc/testing';
import type { Checkout, CheckoutRefundable } from '@crypto-checkout/protocol/checkout';
import type { CryptoCheckout } from '../../index.ts';
import { checkout, REFUNDABLE } from '../../../test/support/fixture.ts';
import {
  deep,
  listen,
  FakeStream,
  type FakeServer,
  deepActive,
  heading,
  open,
  serveEach,
  settled,
  textOf,
  until,
} from '../../../test/support/fake-server.ts';

const XRP: CheckoutRefundable = {
  ...REFUNDABLE,
  kind: 'XRP',
  network: 'XRP Ledger',
  symbol: 'XRP',
  tagged: true,
};
const OWN = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const REFUND = {
  transaction: '387a2e9e',
  amount: '0.00081234',
  received: '0.0008',
  kind: 'BTC_BECH32',
  address: OWN,
  status: 'requested',
  txid: null,
  explorer_url: null,
};

const late = (more: Partial<Checkout> = {}): Checkout =>
  checkout('late', { refundable: [REFUNDABLE], ...more });
const answer = (refund: object): Response => Response.json({ refund });
const refusal = (reason: string): Response => Response.json({ reason }, { status: 400 });

describe('getting money back', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));
  afterEach(() => localStorage.clear());

  const field = (element: CryptoCheckout, name: string): HTMLInputElement =>
    deep(element, `[name=${name}]`)[0] as HTMLInputElement;

  async function openForm(view = late()): Promise<CryptoCheckout> {
    server.state = view;
    const { element } = await open();
    await until(() => deep(element, '[part=refund-link]').length);
    // The controller opens links in place.
    await until(() => FakeStream.all.length, 'a live stream');
    const [link] = deep(element, '[part=refund-link]');
    link!.focus();
    link!.click();
    await until(() => field(element, 'address'));
    await settled(element);
    return element;
  }

  async function enter(element: CryptoCheckout, address: string): Promise<void> {
    const input = field(element, 'address');
    input.value = address;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await settled(element);
    input.form!.requestSubmit();
    await settled(element);
  }

  const noteOf = (element: CryptoCheckout): string =>
    deep(element, '[role=alert]')
      .map(({ textContent }) => textContent.trim())
      .filter(Boolean)
      .join(' ');
  const sizeOf = (element: HTMLElement): number => parseFloat(getComputedStyle(element).fontSize);

  it('is the main action where money can come back, and says how much', async () => {
    const element = await openForm();
    expect(heading(element)).to.equal('Get a refund');
    expect(textOf(element)).to.contain('0.00081234 BTC on Bitcoin · ~0.00002 BTC fee');
    expect(textOf(element)).to.contain('You receive ~0.00079234 BTC');
    const [arrives, asked] = deep(element, 'dd');
    expect(arrives!.textContent).to.contain('~0.00079234 BTC');
    expect(sizeOf(arrives!)).to.be.greaterThan(sizeOf(asked!));
    await until(() => deepActive() === deep(element, 'h2')[0], 'the heading has the focus');
    expect(deep(element, '[part=refund-tag]')).to.deep.equal([]);
  });

  it('names the network of a coin of its own chain without a token standard', async () => {
    const ether = {
      ...REFUNDABLE,
      kind: 'ETH',
      name: 'Ethereum',
      network: 'Ethereum (ERC20)',
      symbol: 'ETH',
    };
    const element = await openForm(late({ refundable: [ether] }));
    expect(textOf(element)).to.contain('Your ETH address on Ethereum').and.to.not.contain('ERC20');
    server.refunds.push(refusal('InvalidAddress'));
    await enter(element, 'nowhere');
    await until(() => noteOf(element) === 'That is not a valid ETH address on Ethereum.');
  });

  it('checks the address, shows what arrives, and asks once', async () => {
    const element = await openForm();
    server.refunds.push(refusal('InvalidAddress'));
    await enter(element, 'nowhere');
    await until(() => noteOf(element) === 'That is not a valid BTC address on Bitcoin.');
    const [note, own] = ['[part=note]', '#own'].map((one) => deep(element, one)[0]!);
    expect(note!.getBoundingClientRect().bottom).to.be.at.most(own!.getBoundingClientRect().top);
    expect(field(element, 'address').getAttribute('aria-invalid')).to.equal('true');
    await until(() => deepActive() === field(element, 'address'));
    server.refunds.push(refusal('ShopAddress'));
    await enter(element, OWN);
    await until(() => noteOf(element).startsWith('This address belongs to the shop.'));
    server.refunds.push(answer({ received: '0.0008' }));
    await enter(element, OWN);
    await until(() => field(element, 'checked'));
    // Until the approval it is an estimate.
    expect(textOf(element)).to.contain('You receive ~0.0008 BTC');
    expect(textOf(element)).to.contain('0.00081234 BTC on Bitcoin · ~0.00001234 BTC fee');
    expect(deep(element, '[part=guard]'), 'no warning about tampering').to.deep.equal([]);
    expect(textOf(element)).to.contain('A refund can’t be reversed.');
    await expect(element).to.be.accessible();

    server.refunds.push(answer({ received: '0.0008' }));
    server.state = late({ version: 2, refundable: undefined, refunds: [REFUND] });
    const { form } = field(element, 'address');
    form!.requestSubmit();
    form!.requestSubmit();
    await until(() => textOf(element).includes('Refund requested. The shop will review it.'));
    const asked = server.posts.filter(({ path }) => path.endsWith('/refund'));
    expect(asked.map(({ body }) => (body as { estimate: boolean }).estimate)).to.deep.equal([
      true,
      true,
      true,
      false,
    ]);
    expect(asked[3]!.body).to.include({ transaction: '387a2e9e', address: OWN, tag: null });
    expect(heading(element)).to.equal('Your payment arrived late');
  });

  it('breaks no short address or transaction id of a refund on a narrow phone', async () => {
    const refunds = [{ ...REFUND, status: 'paid', txid: 'f0'.repeat(32) }];
    server.state = late({ refundable: undefined, refunds });
    const { element } = await open();
    element.style.width = '280px';
    await until(() => textOf(element).includes('Transaction: f0f0f0…f0f0f0'));
    for (const short of deep(element, '[part=refund] .short'))
      await until(() => short.getClientRects().length === 1, short.textContent);
  });

  it('shows a second step with the entries in full, which the buyer can change', async () => {
    const element = await openForm(late({ refundable: [XRP] }));
    const tag = field(element, 'tag');
    tag.value = '77';
    tag.dispatchEvent(new Event('input', { bubbles: true }));
    server.refunds.push(answer({ received: '0.0008' }));
    await enter(element, OWN);
    await until(() => field(element, 'checked'));
    const [title] = deep(element, '[part=refund-check]');
    expect(title!.textContent.trim()).to.equal('Check before you confirm');
    await until(() => deepActive() === title, 'the heading has the focus');
    for (const [name, value] of [
      ['address', OWN],
      ['tag', '77'],
    ] as const) {
      const { readOnly, value: shown, scrollHeight, clientHeight } = field(element, name);
      expect([readOnly, shown, scrollHeight], name).to.deep.equal([true, value, clientHeight]);
    }
    expect(textOf(element)).to.contain('Address Destination tag You receive');
    expect(deep(element, '[part=submit]')[0]!.textContent.trim()).to.equal('Confirm refund');
    await expect(element).to.be.accessible();
    deep(element, '[part=refund-edit]')[0]!.click();
    await until(() => deepActive() === field(element, 'address'));
    expect([field(element, 'address').value, field(element, 'tag').value]).to.deep.equal([
      OWN,
      '77',
    ]);
    expect(field(element, 'checked')).to.equal(undefined);
    expect(server.posts.filter(({ path }) => path.endsWith('/refund'))).to.have.length(1);
  });

  it('keeps the field and the button on one screen of a small phone, in both steps', async () => {
    const element = await openForm(late({ refundable: [XRP] }));
    element.style.width = '344px';
    const height = (top: string): number =>
      deep(element, '[part=submit]')[0]!.getBoundingClientRect().bottom -
      deep(element, top)[0]!.getBoundingClientRect().top;
    expect(height('label')).to.be.lessThan(440);
    server.refunds.push(answer({ received: '0.0008' }));
    await enter(element, OWN);
    await until(() => field(element, 'checked'));
    expect(height('[part=refund-check]')).to.be.lessThan(480);
  });

  it('says what goes back before it asks for an address, and that a part of it goes back', async () => {
    const element = await openForm(
      late({ refundable: [{ ...REFUNDABLE, cause: 'excess', amount: '0.0002' }] }),
    );
    const [facts, address] = ['[part=facts]', '[name=address]'].map(
      (one) => deep(element, one)[0]!,
    );
    expect(facts!.textContent).to.contain('0.0002 BTC on Bitcoin');
    expect(textOf(element)).to.contain('Only this part goes back.');
    expect(facts!.compareDocumentPosition(address!)).to.equal(Node.DOCUMENT_POSITION_FOLLOWING);
  });

  it('names the destination tag of a refund, also on the receipt', async () => {
    const refunds = [{ ...REFUND, kind: 'XRP', tag: '77' }];
    server.state = late({ refundable: undefined, refunds });
    const { element } = await open();
    await until(() => deep(element, '[part=refund]').length);
    expect(textOf(element)).to.contain('→ bc1qw5…v8f3t4 · Destination tag: 77');
    element.show = 'receipt';
    await until(() => heading(element) === 'Payment details');
    expect(textOf(element)).to.contain(`Address ${OWN} Destination tag 77`);
  });

  it('keeps the amount beside the button that asks, above an address of any length', async () => {
    const element = await openForm();
    server.refunds.push(answer({ received: '0.0008' }));
    await enter(element, OWN);
    await until(() => field(element, 'checked'));
    const button = deep(element, '[part=submit]')[0]!;
    expect(button.parentElement!.previousElementSibling!.textContent).to.contain('You receive');
  });

  it('is followed on the page of the link to save, above the way to pay', async () => {
    const refunds = [{ ...REFUND, status: 'requested' }];
    server.state = { ...checkout('expired'), refundable: undefined, refunds };
    const { element } = await open({ show: 'receipt' });
    await until(() => heading(element) === 'Payment details');
    await until(() => deep(element, '[part=refund]').length);
    expect(textOf(element).replace(/^.*?Payment details/s, '')).to.match(
      /^ ?Refund requested\. The shop will review it\..* Get a new price /,
    );
  });

  it('of late money that is not final is promised on the page of the link to save', async () => {
    server.state = late({
      refundable: [{ ...REFUNDABLE, ready: false }],
      merchant: { ...checkout('late').merchant, contact: 'https://shop.example/help' },
    });
    const { element } = await open({ show: 'receipt' });
    await until(() => heading(element) === 'Payment details');
    await until(() => textOf(element).includes('once the payment is final.'));
    expect(textOf(element))
      .to.contain('The shop can accept or refund it.')
      .and.to.contain('Contact the shop');
  });

  it('is on the page of the link to save, too', async () => {
    server.state = late();
    const { element } = await open({ show: 'receipt' });
    await until(() => heading(element) === 'Payment details');
    await until(() => deep(element, '[part=refund-link]').length);
    expect(deep(element, '.primary')).to.deep.equal(deep(element, '[part=refund-link]'));
    await until(() => FakeStream.all.length, 'a live stream');
    deep(element, '[part=refund-link]')[0]!.click();
    await until(() => field(element, 'address'));
  });

  it('is not the main action while the rest of the price can be paid', async () => {
    for (const [expires_at, isMain] of [
      [checkout('underpaid').payment!.expires_at, false],
      [null, false],
      [checkout('underpaid').server_time, true],
    ] as const) {
      const view = checkout('underpaid', { refundable: [REFUNDABLE] });
      server.state = { ...view, payment: { ...view.payment!, expires_at } };
      const { element } = await open();
      await until(() => deep(element, '[part=refund-link]').length);
      const [link] = deep(element, '[part=refund-link]');
      expect(link!.classList.contains('primary'), String(expires_at)).to.equal(isMain);
      element.remove();
    }
  });

  it('stands below the note about the money', async () => {
    const [one] = checkout('paid').received;
    const wrong = { ...one!, txid: 'b2'.repeat(32), symbol: 'USDT', amount: '24', value: null };
    const view = checkout('seen');
    server.state = {
      ...view,
      notes: ['wrong_coin'],
      received: [...view.received, wrong],
      refundable: [{ ...REFUNDABLE, transaction: wrong.txid, cause: 'wrong_coin' }],
    };
    const { element } = await open();
    await until(() => deep(element, '[part=refund-link]').length);
    const parts = '[part=note], [part=refund-link], [part=transactions]';
    expect(deep(element, parts).map(({ part }) => part.value)).to.deep.equal([
      'note',
      'refund-link',
      'transactions',
    ]);
  });

  it('shows all of an address on a narrow phone', async () => {
    const element = await openForm();
    element.style.width = '320px';
    const taproot = 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr';
    for (const address of [OWN, taproot, taproot.repeat(4)]) {
      const area = field(element, 'address');
      area.value = address;
      area.dispatchEvent(new Event('input', { bubbles: true }));
      await settled(element);
      const { scrollHeight, clientHeight, scrollWidth, clientWidth } = area;
      expect([scrollHeight, scrollWidth], address).to.deep.equal([clientHeight, clientWidth]);
    }
  });

  it('sends an address with the line breaks of a letter, by the key too', async () => {
    const element = await openForm();
    const area = field(element, 'address');
    area.value = `${OWN.slice(0, 20)}\n ${OWN.slice(20)}\n`;
    area.dispatchEvent(new Event('input', { bubbles: true }));
    server.refunds.push(answer({ received: '0.0008' }));
    const key = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
    area.dispatchEvent(key);
    expect(key.defaultPrevented).to.equal(true);
    await until(() => field(element, 'checked'));
    expect(server.posts.at(-1)!.body).to.include({ address: OWN });
  });

  it('tells several payments apart, and asks for the chosen one', async () => {
    const [one] = checkout('late').received;
    const wrong = { ...one!, txid: 'b2'.repeat(32), symbol: 'USDT', amount: '24', late: false };
    const element = await openForm(
      late({
        notes: ['wrong_coin'],
        received: [one!, wrong],
        refundable: [
          { ...REFUNDABLE, transaction: one!.txid },
          {
            ...REFUNDABLE,
            transaction: wrong.txid,
            cause: 'wrong_coin',
            kind: 'USDT-ETH',
            network: 'Ethereum',
            symbol: 'USDT',
            amount: '24',
            fee: '2.09',
            received: '21.91',
          },
          { ...REFUNDABLE, transaction: 'c3', cause: 'excess', amount: '0.0001' },
          { ...REFUNDABLE, transaction: 'd4', ready: false },
        ],
      }),
    );
    const said = deep(element, '[part=refund-payment]').map(({ textContent }) =>
      textContent.replace(/\s+/g, ' ').trim(),
    );
    expect(said).to.have.length(3);
    expect(said[0]).to.match(/^0\.00081234 BTC Your payment arrived late · .*[AP]M · /);
    expect(said[1]).to.match(/^24 USDT You sent 24 USDT, not BTC · .* · b2b2b2…b2b2b2$/);
    expect(said[2]).to.equal('0.0001 BTC You paid too much · c3');
    expect(textOf(element)).to.contain('You receive ~0.00079234 BTC');
    await expect(element).to.be.accessible();
    deep(element, '[type=radio]')[1]!.click();
    await settled(element);
    expect(textOf(element)).to.contain('You receive ~21.91 USDT');
    expect(textOf(element)).to.contain('Your USDT address on Ethereum');
    server.refunds.push(answer({ received: '21.9' }));
    await enter(element, '0x1');
    await until(() => field(element, 'checked'));
    expect(server.posts.at(-1)!.body).to.include({ transaction: wrong.txid, address: '0x1' });
    deep(element, '[part=refund-edit]')[0]!.click();
    await settled(element);
    deep(element, '[type=radio]')[0]!.click();
    await settled(element);
    expect(field(element, 'checked')).to.equal(undefined);
  });

  it('checks again after the address was changed', async () => {
    const element = await openForm();
    server.refunds.push(answer({ received: '0.0008' }));
    await enter(element, OWN);
    await until(() => field(element, 'checked'));
    deep(element, '[part=refund-edit]')[0]!.click();
    await settled(element);
    const input = field(element, 'address');
    input.value = `${OWN}x`;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await settled(element);
    expect(field(element, 'checked')).to.equal(undefined);
    expect(textOf(element)).to.contain('~0.00079234 BTC');
  });

  it('checks again when another payment or amount is to come back', async () => {
    const element = await openForm(
      late({ refundable: [REFUNDABLE, { ...REFUNDABLE, transaction: 'b2' }] }),
    );
    server.refunds.push(answer({ received: '0.0008' }));
    await enter(element, OWN);
    await until(() => field(element, 'checked'));
    server.state = late({ version: 2, refundable: [{ ...REFUNDABLE, amount: '0.0004' }] });
    element.refresh();
    await until(() => textOf(element).includes('0.0004 BTC'));
    expect(field(element, 'checked')).to.equal(undefined);
    expect(field(element, 'address').value).to.equal(OWN);
    server.refunds.push(answer({ received: '0.0003' }));
    await enter(element, OWN);
    await until(() => field(element, 'checked'));
    server.state = late({
      version: 3,
      refundable: [{ ...REFUNDABLE, transaction: 'b2', amount: '0.0004' }],
    });
    element.refresh();
    await until(() => field(element, 'transaction').value === 'b2');
    expect(field(element, 'checked')).to.equal(undefined);
  });

  it('keeps what the buyer types while an address is checked', async () => {
    const element = await openForm();
    let arrive!: (response: Response) => void;
    server.refunds.push(new Promise<Response>((resolve) => (arrive = resolve)));
    await enter(element, 'first');
    const input = field(element, 'address');
    input.value = OWN;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    arrive(answer({ received: '0.0008' }));
    await settled(element);
    await until(() => deep(element, '[part=submit]')[0]!.ariaDisabled === 'false');
    expect([field(element, 'address').value, field(element, 'checked')]).to.deep.equal([
      OWN,
      undefined,
    ]);
  });

  it('names the entry that is wrong: the tag, or an amount too small to send', async () => {
    const element = await openForm(late({ refundable: [XRP] }));
    const wrong = (name: string): Response =>
      Response.json({ reason: 'ValidationError', errors: [{ field: name }] }, { status: 400 });
    server.refunds.push(wrong('tag'));
    await enter(element, 'rOther');
    await until(() => field(element, 'tag').getAttribute('aria-invalid') === 'true');
    expect(field(element, 'address').getAttribute('aria-invalid')).to.equal('false');
    await until(() => deepActive() === field(element, 'tag'));
    const retype = (text: string): void => {
      field(element, 'tag').value = text;
      field(element, 'tag').dispatchEvent(new Event('input', { bubbles: true }));
    };
    retype('abc');
    expect(field(element, 'tag').getAttribute('aria-describedby')).to.contain('wrong-tag');
    server.refunds.push(wrong('tag'));
    await enter(element, 'rOther');
    await until(() => noteOf(element) === 'A destination tag has digits only.');
    retype('4294967296');
    server.refunds.push(wrong('tag'));
    await enter(element, 'rOther');
    await until(() => noteOf(element).endsWith('Required if your address comes with one.'));
    server.refunds.push(wrong('amount'));
    await enter(element, 'rOther');
    await until(() => noteOf(element) === 'The network fee is higher than this refund.');
  });

  it('leaves the buyer nothing to do while a refund is on its way', async () => {
    const asked = (version: number, ...statuses: string[]): Checkout =>
      checkout('late', {
        version,
        merchant: { ...late().merchant, contact: 'mailto:help@shop.example' },
        refunds: statuses.map((status) => ({ ...REFUND, status })),
      });
    server.state = asked(1, 'requested');
    const { element } = await open();
    const isMain = (): boolean | undefined =>
      deep(element, '[part=contact-link]')[0]?.classList.contains('primary');
    await until(() => isMain() === false, 'a quiet link');
    server.state = asked(2, 'rejected');
    element.refresh();
    await until(() => isMain() === true, 'a refused refund is for the shop to settle');
    server.state = asked(3, 'rejected', 'requested');
    element.refresh();
    await until(() => isMain() === false, 'it was asked for again');
  });

  it('keeps what happened to late money, whose price has expired', async () => {
    const expired = checkout('expired');
    const { expires_at, invoice_id } = expired.payment!;
    const [one] = checkout('late').received;
    const back = {
      ...one!,
      invoice_id,
      late: false,
      refunded: one!.amount,
      created_at: new Date(Date.parse(expires_at!) + 60_000).toISOString(),
    };
    for (const [at, status] of ['requested', 'approved', 'paid'].entries()) {
      server.state = {
        ...expired,
        version: at + 1,
        received: [back],
        refunds: [{ ...REFUND, status }],
      };
      const { element } = await open();
      await until(() => heading(element) === 'Your payment arrived late');
      await until(() => deep(element, '[part=refund]').length);
      expect(textOf(element))
        .to.contain('0.00081234 BTC arrived after the price expired.')
        .and.not.contain('will appear here')
        .and.not.contain('can accept or refund it');
      expect(deep(element, '.primary'), 'nothing is left to do').to.deep.equal([]);
      element.show = 'receipt';
      await until(() => heading(element) === 'Payment details');
      expect(textOf(element)).to.contain('Status Not paid. Your payment arrived late.');
      expect(textOf(element)).not.to.contain('This price has expired');
      element.remove();
    }
    const early = { ...back, created_at: new Date(Date.parse(expires_at!) - 1).toISOString() };
    server.state = { ...expired, version: 9, received: [early], refunds: [REFUND] };
    const { element } = await open();
    await until(() => heading(element) === 'This price has expired');
  });

  it('shows where a refund goes: another holder of the link may have asked', async () => {
    const element = await openForm();
    const address = 'bc1qstranger0000000000000000000000000000';
    server.refunds.push(answer({ received: '0.0008' }), refusal('AlreadyExists'));
    await enter(element, OWN);
    await until(() => field(element, 'checked'));
    server.state = late({ version: 2, refundable: undefined, refunds: [{ ...REFUND, address }] });
    const said = listen(element);
    field(element, 'address').form!.requestSubmit();
    await until(() => textOf(element).includes('bc1qst…000000'));
    const warning =
      'This refund was already requested to another address. If that wasn’t you, contact the shop.';
    await until(() => said.includes(warning));
    expect(textOf(element)).to.contain(warning);
    expect(said.join(' ')).not.to.contain('Refund requested.');
    await expect(element).to.be.accessible();
  });

  it('can be asked for with another address where a stranger asked first', async () => {
    const transaction = 'first';
    const stranger = {
      ...REFUND,
      transaction,
      address: 'bc1qstranger0000000000000000000000000000',
    };
    const asked = late({
      refundable: undefined,
      refunds: [stranger],
      replaceable: [{ ...REFUNDABLE, transaction }],
    });
    server.state = asked;
    const { element } = await open();
    await until(() => deep(element, '[part=refund-replace]').length);
    await until(() => FakeStream.all.length, 'a live stream');
    expect(deep(element, '.primary'), 'the shop reviews the request').to.deep.equal([]);
    const [link] = deep(element, '[part=refund-replace]');
    expect(link!.textContent.trim()).to.equal('Use another address');
    link!.click();
    await until(() => field(element, 'address'));
    await until(() => heading(element) === 'Get a refund');
    expect(textOf(element)).to.contain('Refund requested.').and.to.contain('bc1qst…000000');
    await expect(element).to.be.accessible();
    server.refunds.push(answer({ received: '0.0008' }), answer({ received: '0.0008' }));
    await enter(element, OWN);
    await until(() => field(element, 'checked'));
    server.state = late({
      version: 2,
      refundable: undefined,
      refunds: [
        { ...stranger, status: 'rejected' },
        { ...REFUND, transaction },
      ],
    });
    field(element, 'address').form!.requestSubmit();
    await until(() => textOf(element).includes('bc1qw5…v8f3t4'));
    expect(deep(element, '[part=refund-replace]')).to.deep.equal([]);
    const { body } = server.asked.findLast(({ path }) => path.endsWith('/refund'))!;
    expect(body).to.include({ address: OWN, expected_amount: '0.00081234' });
  });

  it('leads no browser back to the form whose proof was refused', async () => {
    const asked = late({
      refundable: undefined,
      refunds: [{ ...REFUND, address: 'bc1qother00000000000000000000000000000000' }],
      replaceable: [{ ...REFUNDABLE, transaction: 'another' }],
    });
    asked.refunds![0]!.transaction = 'another';
    server.state = asked;
    const { element } = await open();
    await until(() => FakeStream.all.length, 'a live stream');
    await until(() => deep(element, '[part=refund-replace]').length);
    deep(element, '[part=refund-replace]')[0]!.click();
    await until(() => field(element, 'address'));
    server.refunds.push(refusal('AlreadyExists'));
    const said = listen(element);
    await enter(element, OWN);
    await until(() => heading(element) !== 'Get a refund');
    const where = 'Only the browser you paid in can change the address.';
    await until(() => textOf(element).includes(where));
    expect(said.join(' ')).to.contain(where);
    expect(deep(element, '[part=refund-replace]')).to.deep.equal([]);
  });

  it('marks money that was asked for already, beside other money in one form', async () => {
    const stranger = { ...REFUND, address: 'bc1qstranger0000000000000000000000000000' };
    const element = await openForm(
      late({
        refundable: [{ ...REFUNDABLE, transaction: 'second' }],
        refunds: [stranger],
        replaceable: [REFUNDABLE],
      }),
    );
    const payments = deep(element, '[part=refund-payment]').map(({ textContent }) => textContent);
    expect(payments.map((text) => /Refund requested/.test(text))).to.deep.equal([false, true]);
    expect(payments[1]).to.contain('bc1qst…000000');
    expect(
      deep(element, '[type=radio]').map((one) => (one as HTMLInputElement).checked),
    ).to.deep.equal([true, false]);
    element.show = 'stage';
    await until(() => deep(element, '[part=refund-link]').length);
    expect(deep(element, '[data-show=refund]')).to.have.length(1);
  });

  it('says when the fee is too high, or the server does not answer, and keeps the address', async () => {
    const element = await openForm();
    server.refunds.push(refusal('PayoutNetworkFeeTooHigh'));
    await enter(element, OWN);
    await until(() => noteOf(element) === 'The network fee is higher than this refund.');
    server.refunds.push(new TypeError('Failed to fetch'));
    await enter(element, OWN);
    await until(() => noteOf(element).startsWith('The payment server cannot be reached.'));
    expect(field(element, 'address').value).to.equal(OWN);
  });

  it('says at the last step that an address has no tag, and nothing where it may hold one', async () => {
    const classic = 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3';
    for (const [money, address, isSaid] of [
      [XRP, classic, true],
      // These have a tag in them.
      [XRP, `${classic}:77`, false],
      [XRP, 'XV5sbjUmgPpvXv4ixFWZ5ptAYZ6PD28Sq49uo34VyjnmK5H', false],
      [REFUNDABLE, OWN, false],
    ] as const) {
      const element = await openForm(late({ refundable: [money] }));
      server.refunds.push(answer({ received: '0.0008' }));
      await enter(element, address);
      await until(() => field(element, 'checked'));
      expect(textOf(element).includes('Destination tag: —'), address).to.equal(isSaid);
      await expect(element).to.be.accessible();
      element.remove();
    }
  });

  it('asks for a tag where the chain has them', async () => {
    const element = await openForm(late({ refundable: [XRP] }));
    const tag = field(element, 'tag');
    tag.value = '77';
    tag.dispatchEvent(new Event('input', { bubbles: true }));
    server.refunds.push(answer({ received: '1' }));
    await enter(element, 'rOther');
    await until(() => field(element, 'checked'));
    expect(server.posts.at(-1)!.body).to.include({ tag: '77' });
    await expect(element).to.be.accessible();
  });

  it('sends the claim secret that the server gave to this browser', async () => {
    server.once(
      new Response(JSON.stringify(late()), {
        headers: { 'content-type': 'application/json', 'checkout-claim': 'secret-of-this-browser' },
      }),
    );
    const element = await openForm();
    expect(element.outerHTML + textOf(element)).to.not.contain('secret-of-this-browser');
    server.refunds.push(answer({ received: '0.0008' }));
    await enter(element, OWN);
    expect(server.posts.at(-1)!.body).to.include({ claim: 'secret-of-this-browser' });
  });

  it('names the amount on the screen, so that another one is refused', async () => {
    const element = await openForm();
    const { amount } = element.checkout!.refundable![0]!;
    server.refunds.push(answer({ received: '0.0008' }));
    await enter(element, OWN);
    expect(server.posts.at(-1)!.body).to.include({ expected_amount: amount, estimate: true });
  });

  it('follows the refund to its transaction', async () => {
    const states: [string, string][] = [
      ['requested', 'Refund requested. The shop will review it.'],
      ['draft', 'Refund requested. The shop will review it.'],
      ['approved', 'Your refund is on its way.'],
      ['paid', 'Refund sent.'],
    ];
    server.state = late();
    const { element } = await open();
    for (const [at, [status, says]] of states.entries()) {
      const sent =
        status === 'paid' ? { txid: 'f00d', explorer_url: 'https://explorer.example/tx/f00d' } : {};
      const refunds = [{ ...REFUND, status, ...sent }];
      server.state = late({ version: at + 2, refundable: undefined, refunds });
      element.refresh();
      await until(() => textOf(element).includes(says), says);
    }
    expect(textOf(element)).to.contain('Refund: 0.00081234 BTC · 0.00001234 BTC fee');
    const [received] = deep(element, '[part=refund] b');
    expect(received!.textContent.trim()).to.equal('0.0008 BTC');
    const small = received!.parentElement!.querySelector('small')!;
    expect(sizeOf(received!)).to.be.greaterThan(sizeOf(small));
    const [link] = deep(element, '[part=refund] a') as HTMLAnchorElement[];
    expect(link!.href).to.equal('https://explorer.example/tx/f00d');
    expect(textOf(element)).to.contain('Transaction: f00d');
    await expect(element).to.be.accessible();
  });

  it('shows the amount of a refund from a server of an earlier version', async () => {
    const { received: _, ...earlier } = REFUND;
    const refunds = [{ ...earlier, status: 'approved' } as unknown as typeof REFUND];
    server.state = late({ refunds, refundable: undefined });
    const { element } = await open();
    await until(() => textOf(element).includes('Your refund is on its way.'));
    expect(textOf(element)).to.contain('0.00081234 BTC → ').and.not.contain('fee');
  });

  it('says what to do after a refusal of the shop, and before the payment is final', async () => {
    server.state = late({ refunds: [{ ...REFUND, status: 'rejected' }], refundable: undefined });
    const first = await open();
    await until(() => textOf(first.element).includes('This refund was not sent.'));
    const [sum] = deep(first.element, '[part=refund] b');
    expect(sum!.textContent.trim()).to.equal('0.00081234 BTC');
    expect(textOf(first.element)).not.to.contain('fee');
    first.element.remove();
    server.state = late({ refundable: [{ ...REFUNDABLE, ready: false }] });
    const { element } = await open();
    await until(() => textOf(element).includes('once the payment is final.'));
    expect(deep(element, '[part=refund-link]')).to.deep.equal([]);
  });

  it('promises the rest of too much once the payment is final, without the shop', async () => {
    for (const [stage, title] of [
      ['seen', 'Payment detected'],
      ['paid', 'You paid 0.0001\u00a0BTC too much'],
    ] as const) {
      const { txid: transaction } = checkout(stage).received[0]!;
      const due = { transaction, cause: 'excess', amount: '0.0001', ready: false };
      const view = checkout(stage, {
        notes: ['overpaid'],
        merchant: { ...checkout('pay').merchant, contact: 'https://shop.example/help' },
        refundable: [{ ...REFUNDABLE, ...due }],
      });
      const received = view.received.map((one) => ({ ...one, confirmations: 1 }));
      server.state = { ...view, received, payment: { ...view.payment!, overpaid: '0.0001' } };
      const { element } = await open();
      await until(() =>
        textOf(element).includes('once the payment is final. 1 of 6 confirmations'),
      );
      expect(heading(element)).to.equal(title);
      expect(textOf(element).split('You paid 0.0001 BTC too much')).to.have.length(2);
      expect(textOf(element)).not.to.contain('Ask the shop');
      expect(deep(element, '.primary').map((one) => one.getAttribute('part'))).to.deep.equal([]);
      element.remove();
    }
  });

  it('loads nothing where there is nothing to refund', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    expect(deep(element, '[part=refunds]')).to.deep.equal([]);
  });
});
