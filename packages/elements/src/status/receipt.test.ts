import { expect } from '@open-wc/testing';
import { checkout, inTwoCoins } from '../../test/support/fixture.ts';
import {
  type FakeServer,
  deep,
  heading,
  open,
  settled,
  textOf,
  until,
  serveEach,
} from '../../test/support/fake-server.ts';

describe('the receipt', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  it('contains all facts of the payment', async () => {
    server.state = checkout('complete', { notes: ['overpaid'] });
    const { element } = await open({ show: 'receipt' });
    expect(heading(element)).to.equal('Receipt');
    const payment = server.state.payment!;
    const text = textOf(element);
    for (const proof of [
      'Payment complete',
      'Quay & Co.',
      '1042',
      '$49.90',
      'Bitcoin (BTC)',
      '0.00081234 BTC',
      '1 BTC = $61,427.48',
      payment.address!,
      payment.invoice_id,
      payment.transactions[0]!.txid,
      'You paid too much',
      'Save this link to see this payment any time.',
    ])
      expect(text, proof).to.contain(proof);
    const time = new Intl.DateTimeFormat('en-u-nu-latn', {
      dateStyle: 'medium',
      timeStyle: 'long',
    });
    expect(text).to.contain(time.format(Date.parse(payment.transactions[0]!.created_at)));
    const link = deep(element, '[part=keep-link]')[0] as HTMLAnchorElement;
    // An invoice's own link shows its facts for a limited time.
    expect(link.href).to.equal(`https://pay.example/pay/${server.state.id}/?show=receipt`);
    expect(link.textContent).to.equal(link.href);
  });

  it('has no signed file where late money alone has paid, and one beside money in time', async () => {
    for (const [lacks_receipt, files] of [
      [true, 0],
      [undefined, 1],
    ] as const) {
      server.state = checkout('paid', { notes: ['late_accepted'], lacks_receipt });
      const { element } = await open({ show: 'receipt' });
      expect(heading(element)).to.equal('Receipt');
      expect(deep(element, '[part=receipt-file]')).to.have.length(files);
    }
  });

  it('links to the signed receipt once the order is paid', async () => {
    for (const [stage, links] of [
      ['paid', 1],
      ['complete', 1],
      ['seen', 0],
    ] as const) {
      server.state = checkout(stage);
      const { element } = await open({ show: 'receipt' });
      const files = deep(element, '[part=receipt-file]') as HTMLAnchorElement[];
      expect(files.map(({ href }) => href)).to.deep.equal(
        Array(links).fill(`https://pay.example/pay/${server.state.id}/receipt`),
      );
    }
  });

  it('contains every payment of an order, in any coin', async () => {
    server.state = inTwoCoins('complete');
    const { element } = await open({ show: 'receipt' });
    const facts = textOf(element).replace(/\s+/g, ' ');
    expect(facts).to.contain('Received 0.0004 BTC + 25.34 USDT');
    const time = new Intl.DateTimeFormat('en-u-nu-latn', {
      dateStyle: 'medium',
      timeStyle: 'long',
    });
    for (const [at, coin, worth, price] of [
      [0, 'Bitcoin (BTC)', '0.0004 BTC = $24.57', '1 BTC = $61,427.48'],
      [1, 'Tether (USDT), TRON (TRC20)', '25.34 USDT = $25.33', '1 USDT = $0.9996'],
    ] as const) {
      const { txid, invoice_id, created_at } = server.state.received[at]!;
      for (const proof of [
        txid,
        invoice_id,
        coin,
        worth,
        price,
        time.format(Date.parse(created_at)).replace(/\s+/g, ' '),
      ])
        expect(facts, proof).to.contain(proof);
    }
  });

  it('shows no recipient before a payment, and keeps an old price collapsed', async () => {
    server.state = checkout('expired');
    const { element } = await open();
    await until(() => deep(element, '[part=details]').length);
    const [details] = deep(element, '[part=details]') as HTMLDetailsElement[];
    expect(details!.open).to.equal(false);
    expect(details!.textContent).to.contain('1042').and.to.not.contain('Paid to');
    server.state = { ...checkout('late'), version: 2 };
    element.refresh();
    await until(
      () => deep(element, '[part=details]')[0]?.textContent.includes('Paid to'),
      'money has come',
    );
  });

  it('is accessible in light and dark, in both directions', async () => {
    server.state = checkout('complete');
    for (const locale of ['en', 'ar']) {
      const { element } = await open({ show: 'receipt', locale });
      for (const theme of ['light', 'dark']) {
        element.setAttribute('theme', theme);
        await expect(element).to.be.accessible();
      }
      element.remove();
    }
  });

  it('fits into 320 pixels', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    frame.style.width = '320px';
    server.state = checkout('complete');
    const { element } = await open({ show: 'receipt' });
    frame.append(element);
    await settled(element);
    expect(frame.scrollWidth).to.be.at.most(320);
    frame.remove();
  });

  it('opens from a paid order and closes again', async () => {
    server.state = checkout('paid');
    const { element } = await open();
    const [link] = deep(element, '[part=receipt-link]') as HTMLAnchorElement[];
    expect(link!.getAttribute('href')).to.equal(
      `https://pay.example/pay/${server.state.id}/?show=receipt`,
    );
    link!.click();
    await until(() => heading(element) === 'Receipt');
    deep(element, '[part=close-link]')[0]!.click();
    await until(() => heading(element) === 'Payment complete');
  });

  it('prints', async () => {
    server.state = checkout('complete');
    const { element } = await open({ show: 'receipt' });
    const { print } = window;
    let printed = 0;
    window.print = () => void (printed += 1);
    deep(element, '[part=print-button]')[0]!.click();
    window.print = print;
    expect(printed).to.equal(1);
  });

  it('shows no amounts without a payment', async () => {
    server.state = checkout('choose');
    const { element } = await open({ show: 'receipt' });
    expect(heading(element)).to.equal('Choose a coin');
  });
});
