import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { expect } from '@open-wc/testing';
import { payment } from '../../test/support/fixture.ts';
import { requestOf } from '../wallet/request.ts';
import { rebuild } from './payment.ts';

const TARGET = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const EVIL = '0x52908400098527886E0F7030069857D2E4169EE7';
const base = payment();

/** The payment that is made again, from the server's link and a proven target. */
function rebuilt(kind: string, network: string, stated: string): CheckoutPayment {
  const terms = {
    order_id: '1001',
    amount: '20',
    currency: 'USD',
    invoiced: '20',
    expires_at: '2026-11-21T06:15:00.000000+00:00',
  };
  const proven = { kind, network, target: TARGET, beside: null, tag: null, terms };
  const strings = { ...base.strings, link: stated };
  return rebuild({ ...base, remaining: '20', strings }, proven);
}
const linkOf = (...given: Parameters<typeof rebuilt>): string => rebuilt(...given).strings.link;

describe('the link of a proven payment', () => {
  it('names the test network of the server, which no proof names', () => {
    expect(linkOf('ETH', 'testnet', `ethereum:${EVIL}@560048?value=1`)).to.equal(
      `ethereum:${TARGET}@560048?value=20000000000000000000`,
    );
    expect(
      linkOf('ETH_USDC', 'testnet', `ethereum:${CONTRACT}@31337/transfer?address=${EVIL}`),
    ).to.equal(`ethereum:${CONTRACT}@31337/transfer?address=${TARGET}&uint256=20000000`);
  });

  it('takes no main network from a link', () => {
    // Ethereum, and a main network that no coin of ours uses.
    for (const id of [1, 10])
      expect(linkOf('ETH', 'testnet', `ethereum:${EVIL}@${id}?value=1`)).to.contain('@11155111?');
    expect(
      linkOf('ETH', 'testnet', `ethereum:${EVIL}@84532?value=1`),
      'of another chain',
    ).to.contain('@11155111?');
    expect(linkOf('ETH', 'mainnet', `ethereum:${EVIL}@31337?value=1`)).to.contain('@1?');
    const own = linkOf('ETH_USDC', 'mainnet', `ethereum:${EVIL}@8453/transfer?address=${EVIL}`);
    expect(own).not.to.contain(EVIL);
    expect(own).to.contain('@1/transfer?');
  });

  it('is left out where the service takes another contract on the main network', () => {
    const listed = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
    const stated = (contract: string) => `ethereum:${contract}@1/transfer?address=${TARGET}`;
    // The contract is not signed: nobody may pay a token that is not received, or not known.
    const other = rebuilt('ETH_USDC', 'mainnet', stated(CONTRACT));
    expect(requestOf(other)).to.equal(null);
    expect(other.strings).to.deep.equal({
      qr: TARGET,
      link: TARGET,
      address: TARGET,
      amount: '20',
      tag: null,
    });
    for (const same of [listed, listed.toLowerCase()])
      expect(linkOf('ETH_USDC', 'mainnet', stated(same))).to.equal(
        `ethereum:${listed}@1/transfer?address=${TARGET}&uint256=20000000`,
      );
    expect(linkOf('ETH', 'mainnet', stated(CONTRACT)), 'the coin').to.contain(`${TARGET}@1?`);
  });
});
