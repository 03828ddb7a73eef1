import { KINDS } from '@crypto-checkout/protocol/kind';
import { paymentStrings } from '@crypto-checkout/protocol/payment-string';
import { expect } from '@open-wc/testing';
import { payEthereum, transactionOf } from './ethereum.ts';
import { phoneHere } from './phone.ts';
import type { Panel } from '../core/panel.ts';
import { walletLink } from '../server/safe-link.ts';
import { linksOf } from './links.ts';
import { type WalletRequest, requestOf } from './request.ts';
import { TRON_TOKENS } from './more-wallets.ts';
import { type Phone, allWallets, walletsFor } from './wallets.ts';
import { bitcoinWithLightning, lightning, payment } from '../../test/support/fixture.ts';

const PAGE = 'https://pay.example/pay/c8e1f0a9b2d34c5e6f708192a3b4c5d6/';
const AMOUNT = '0.00123456';
const EVM = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const ADDRESSES: Record<string, string> = {
  bitcoin: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
  litecoin: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
  dogecoin: 'DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC',
  liquid:
    'lq1qqf8er278e6nyvuwtgf39e6ewvdcnjupn9a86rzpx655y5lhkt0walu3djf9cklkxd3ryld97hu8h3xepw7sh2rlu7q45dcew5',
  xrp: 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3',
  ton: 'UQDiOuKGLdP9nLL0l2JdTLrPWHeFqRjrGCVQeZlNR2LlEZ3J',
  solana: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
  tron: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
};
const BOLT11 = lightning().payment!.lightning!.payment_request!;
const LNURL =
  'LNURL1DP68GURN8GHJ7MRWW4EXCTNXD9SHG6NPVCHXXMMD9AKXUATJDSKHQCTE8AEK2UMND9HKU0F4XSUNJWPHXUCRXVCLLLLLL';

/** A payment of every kind, with the server's payment strings. */
const PAYMENTS = KINDS.filter(({ kind }) => kind !== 'JAMBO-SOL').map((kind) => {
  const isLightning = kind.chain === 'lightning';
  const tag = kind.kind === 'XRP' ? '12345' : null;
  const address = isLightning ? null : (ADDRESSES[kind.chain] ?? EVM);
  const request = { payment_request: BOLT11, lnurl: LNURL };
  const strings = paymentStrings({
    kind: kind.kind,
    address,
    tag,
    lightning: isLightning ? request : null,
    amount: kind.decimals < 8 ? '12.34'.slice(0, 3 + kind.decimals) : AMOUNT,
    network: 'mainnet',
    expiresAt: '2026-11-21T12:14:32.000000+00:00',
  });
  const { qr, link, address: copied, amount } = strings;
  return {
    kind,
    payment: payment({
      kind: kind.kind,
      address,
      tag,
      lightning: isLightning ? request : null,
      strings: { qr, link, address: copied, amount, tag },
    }),
  };
});

/** Links to our page contain neither address nor amount. */
const opensPage = (link: string): boolean =>
  decodeURIComponent(link).includes(PAGE.slice('https://'.length));

describe('the wallet table', () => {
  it('allows the link of every kind', () => {
    for (const { kind, payment: asked } of PAYMENTS) {
      const { link } = asked.strings;
      // The link of a TRON token is the bare address.
      if (link.includes(':')) expect(walletLink(link), kind.kind).to.equal(link);
    }
  });

  it('parses the link of every kind', () => {
    for (const { kind, payment: asked } of PAYMENTS) {
      const request = requestOf(asked);
      expect(request, kind.kind).to.not.equal(null);
      expect(request!.to, kind.kind).to.equal(asked.strings.address);
      expect(request!.contract, kind.kind).to.equal(
        kind.token && kind.chain !== 'liquid' && kind.chain !== 'tron' ? kind.contract : null,
      );
      const units = request!.units;
      if (units !== null)
        expect(Number(units) / 10 ** kind.decimals, kind.kind).to.be.closeTo(
          Number(asked.strings.amount),
          Number(asked.strings.amount) / 1e9,
        );
    }
  });

  it('has the same TRON contracts as the protocol', () => {
    const tokens = KINDS.filter(({ chain, token }) => chain === 'tron' && token);
    expect(TRON_TOKENS).to.deep.equal(
      Object.fromEntries(tokens.map(({ kind, contract }) => [kind, contract])),
    );
  });

  it('builds a well-formed link with the same address, amount and tag for every supported kind', () => {
    const used = new Set<string>();
    for (const phone of ['ios', 'android'] as const satisfies readonly Phone[])
      for (const { kind, payment: asked } of PAYMENTS) {
        const request = requestOf(asked)!;
        for (const { name, link } of walletsFor(request, { phone, page: PAGE, test: false })) {
          used.add(name);
          const what = `${name} on ${phone}, ${kind.kind}: ${link}`;
          expect(() => new URL(link), what).to.not.throw();
          expect(link, what).to.not.match(/[\s"<>\\^`{|}]|undefined|null|NaN/);
          if (opensPage(link)) continue;
          expect(link.toLowerCase(), what).to.contain(request.to.toLowerCase());
          if (request.tag) expect(new URL(link).searchParams.get('dt'), what).to.equal(request.tag);
          const contract = request.contract ?? TRON_TOKENS[kind.kind];
          if (contract) expect(link, what).to.contain(contract);
          // A lightning request contains its amount.
          const amounts = [request.amount, request.units];
          const query = new URL(link.replace(/^(?:bluewallet|phoenix):/, '')).searchParams;
          const said = query.get('amount') ?? query.get('value') ?? query.get('uint256');
          if (request.family !== 'lightning' && request.family !== 'lnurl')
            expect(amounts, what).to.include(said);
        }
      }
    expect([...used].toSorted()).to.deep.equal(
      [...new Set(allWallets().map(({ name }) => name))].toSorted(),
    );
  });

  it('has no wallet that may lose a tag, and no token in a coin link', () => {
    const of = (kind: string): string[] =>
      walletsFor(requestOf(PAYMENTS.find((one) => one.kind.kind === kind)!.payment)!, {
        phone: 'ios',
        page: PAGE,
        test: false,
      }).map(({ name }) => name);
    expect(of('XRP')).to.deep.equal(['Xaman']);
    expect(of('L-BTC')).to.deep.equal([]);
    const usdt = requestOf(PAYMENTS.find(({ kind }) => kind.kind === 'USDT-TRX')!.payment)!;
    const [trust] = walletsFor(usdt, { phone: 'ios', page: PAGE, test: false });
    expect(trust!.link).to.contain('asset=c195_tTR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t&address=TUEZ');
  });

  it('excludes wallets without test networks, and pages without https', () => {
    for (const { payment: asked } of PAYMENTS)
      for (const { name, link } of walletsFor(requestOf(asked)!, {
        phone: 'ios',
        page: 'http://localhost:8080/pay/x/',
        test: true,
      })) {
        expect(name).to.equal('MetaMask');
        expect(link).to.contain('/send/');
      }
  });

  it('opens lightning wallets with a request beside an address, and others with both', () => {
    const { payment: both, network } = bitcoinWithLightning();
    const request = requestOf(both!)!;
    const to = both!.lightning!.payment_request!;
    expect([request.family, request.to]).to.deep.equal(['bitcoin', both!.address]);
    expect(request.beside).to.include({ family: 'lightning', to });
    // The page's first view has no text of the address beside the one that is drawn.
    const short = { ...both!, strings: { ...both!.strings, address: '' } };
    expect(requestOf(short)!.to).to.equal(both!.address);
    Object.defineProperty(navigator, 'userAgent', {
      configurable: true,
      value: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)',
    });
    const view = { ...bitcoinWithLightning(), network };
    const found = linksOf({ checkout: view, page: PAGE } as Panel);
    Reflect.deleteProperty(navigator, 'userAgent');
    const names = found.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    const linkOf = (name: string): string => found.find((one) => one.name === name)!.link;
    expect(linkOf('BlueWallet')).to.equal(`bluewallet:${both!.strings.link}`);
    expect(linkOf('Phoenix')).to.equal(`phoenix:lightning:${to}`);
    expect(linkOf('Trust Wallet')).to.contain(both!.address);
  });

  it('takes no lightning request of a link that is another than the displayed one', () => {
    const { payment: both } = bitcoinWithLightning();
    const link = `bitcoin:${both!.address}?amount=0.00081234&lightning=lnbc1other`;
    expect(requestOf({ ...both!, strings: { ...both!.strings, link } })!.beside).to.equal(null);
  });

  it('rejects a link with another address', () => {
    const asked = payment();
    expect(
      requestOf({ ...asked, strings: { ...asked.strings, link: 'bitcoin:bc1qother?amount=1' } }),
    ).to.equal(null);
    expect(
      requestOf({
        ...asked,
        strings: { ...asked.strings, link: `javascript:alert('${asked.address}')` },
      }),
    ).to.equal(null);
  });

  it('distinguishes phones from other devices', () => {
    const agents: [string, number, Phone | null][] = [
      ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)', 5, 'ios'],
      ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 5, 'ios'],
      ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 0, null],
      ['Mozilla/5.0 (Linux; Android 15; Pixel 9)', 5, 'android'],
      ['Mozilla/5.0 (X11; Linux x86_64)', 10, null],
    ];
    for (const [userAgent, maxTouchPoints, phone] of agents)
      expect(phoneHere({ userAgent, maxTouchPoints } as Navigator), userAgent).to.equal(phone);
  });
});

describe('Ethereum wallets', () => {
  const eth: WalletRequest = {
    family: 'evm',
    kind: 'ETH',
    link: '',
    to: EVM,
    amount: '0.001',
    tag: null,
    units: '1000000000000000',
    contract: null,
    chainId: 137,
    beside: null,
  };
  const usdt: WalletRequest = {
    ...eth,
    family: 'evm_token',
    units: '49930000',
    contract: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
  };

  /** A wallet on a chain, with predefined answers. */
  const wallet = (answers: Record<string, unknown> = {}, chain = '0x1') => {
    const asked: { method: string; params?: readonly unknown[] }[] = [];
    const given: Record<string, unknown> = {
      eth_requestAccounts: ['0xfrom'],
      eth_sendTransaction: '0xhash',
      ...answers,
    };
    const request = async (question: {
      method: string;
      params?: readonly unknown[];
    }): Promise<unknown> => {
      asked.push(question);
      const answer = given[question.method];
      if (answer instanceof Error || (answer && typeof answer === 'object' && 'code' in answer))
        throw answer;
      if (question.method === 'wallet_switchEthereumChain' && answer !== 'stays')
        chain = (question.params![0] as { chainId: string }).chainId;
      return question.method === 'eth_chainId' ? chain : answer;
    };
    return { request, asked };
  };

  it('encode a token transfer for the contract', () => {
    expect(transactionOf(eth)).to.deep.equal({ to: EVM, value: '0x38d7ea4c68000' });
    expect(transactionOf(usdt)).to.deep.equal({
      to: usdt.contract,
      value: '0x0',
      data: '0xa9059cbb0000000000000000000000009858effd232b4033e47d90003d41ec34ecaeda940000000000000000000000000000000000000000000000000000000002f9df10',
    });
  });

  it('switch the network first and send one transaction', async () => {
    const provider = wallet();
    expect(await payEthereum(provider, usdt)).to.equal('sent');
    expect(provider.asked.map(({ method }) => method)).to.deep.equal([
      'eth_requestAccounts',
      'eth_chainId',
      'wallet_switchEthereumChain',
      'eth_chainId',
      'eth_sendTransaction',
    ]);
    expect(provider.asked.at(-1)!.params![0]).to.include({
      from: '0xfrom',
      chainId: '0x89',
      to: usdt.contract,
      value: '0x0',
    });
  });

  it('distinguish certain from uncertain outcomes', async () => {
    const no = { code: 4001, message: 'User rejected the request.' };
    const cases: [Record<string, unknown>, string][] = [
      [{ eth_requestAccounts: no }, 'refused'],
      [{ eth_requestAccounts: new Error('locked') }, 'refused'],
      [{ eth_requestAccounts: [] }, 'refused'],
      [{ wallet_switchEthereumChain: no }, 'refused'],
      [{ wallet_switchEthereumChain: { code: 4902 } }, 'network'],
      [{ wallet_switchEthereumChain: 'stays' }, 'network'],
      [{ eth_sendTransaction: no }, 'refused'],
      [{ eth_sendTransaction: { code: -32603 } }, 'unknown'],
      [{ eth_sendTransaction: new Error('closed') }, 'unknown'],
      [{ eth_sendTransaction: null }, 'unknown'],
    ];
    for (const [answers, outcome] of cases)
      expect(await payEthereum(wallet(answers), eth), JSON.stringify(answers)).to.equal(outcome);
  });

  it('never send on another network', async () => {
    const provider = wallet({ wallet_switchEthereumChain: 'stays' });
    await payEthereum(provider, eth);
    expect(provider.asked.map(({ method }) => method)).to.not.include('eth_sendTransaction');
  });
});
