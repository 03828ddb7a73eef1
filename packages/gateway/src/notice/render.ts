import type { EMAIL_EVENTS } from '@crypto-checkout/protocol/event';
import type { NoticeContent } from './content.ts';

type EmailEvent = (typeof EMAIL_EVENTS)[number];

/** A message without its addresses. */
export interface RenderedNotice {
  subject: string;
  text: string;
  html: string;
}

/** The event, and the action that the reader may need to take. */
const WORDS: Readonly<Record<EmailEvent, { title: string; sentence: string }>> = {
  invoice_pending: {
    title: 'Invoice paid, not yet confirmed',
    sentence:
      'The payments of this invoice make up its amount. They have no confirmation yet: wait before you deliver.',
  },
  invoice_confirmed: {
    title: 'Invoice confirmed',
    sentence: 'The payments of this invoice are confirmed.',
  },
  invoice_complete: {
    title: 'Invoice complete',
    sentence: 'The payments of this invoice are final.',
  },
  invoice_incomplete: {
    title: 'Invoice paid in part',
    sentence:
      'Less than the requested amount was paid. Somebody has to decide what happens with it.',
  },
  transaction_pending: {
    title: 'Payment seen',
    sentence: 'A payment was seen on the network. It has no confirmation yet.',
  },
  transaction_confirmed: { title: 'Payment confirmed', sentence: 'A payment was confirmed.' },
  transaction_complete: { title: 'Payment complete', sentence: 'A payment is final.' },
  payout_pending: {
    title: 'Payout sent',
    sentence: 'A payout was sent. It has no confirmation yet.',
  },
  payout_confirmed: { title: 'Payout confirmed', sentence: 'A payout was confirmed.' },
  payout_complete: { title: 'Payout complete', sentence: 'A payout is final.' },
};

/** Characters of a name in the subject. */
const MAX_NAME = 60;

/**
 * Renders the message as plain text and HTML. Every external text becomes one line without control
 * characters, and is escaped in HTML.
 * @param publicUrl address of the hosted payment pages
 */
export function renderNotice(
  event: string,
  content: NoticeContent,
  publicUrl: string,
): RenderedNotice {
  const { title, sentence } = WORDS[event as EmailEvent] ?? { title: event, sentence: '' };
  const facts = [
    { name: 'Coin', value: content.coin },
    { name: 'Network', value: content.test ? `${content.chain}, test network` : content.chain },
    ...content.facts,
  ].map(({ name, value }) => ({ name, value: oneLine(value) }));
  const link =
    content.invoiceId === null
      ? null
      : `${publicUrl}/invoice/${encodeURIComponent(content.invoiceId)}/`;
  const test = content.test ? 'This is a test network: the coins have no value.' : null;
  const why = `You get this because the profile "${oneLine(content.profile)}" names this address for ${event}. Replies are not read.`;
  const subject = oneLine(
    `${content.test ? '[Test] ' : ''}${shorten(oneLine(content.profile))}: ${title}, ${content.sum}`,
  );
  return { subject, text: plain(), html: html() };

  function plain(): string {
    const width = Math.max(...facts.map(({ name }) => name.length)) + 2;
    const lines = facts.map(({ name, value }) => `${`${name}:`.padEnd(width)}${value}`);
    return (
      [
        title,
        sentence,
        ...(test ? [test] : []),
        lines.join('\n'),
        ...(link ? [`Public page: ${link}`] : []),
        `-- \n${why}`,
      ].join('\n\n') + '\n'
    );
  }

  function html(): string {
    const cell = 'padding:4px 16px 4px 0;text-align:left;vertical-align:top;font-weight:normal';
    const rows = facts.map(
      ({ name, value }) =>
        `<tr><th scope="row" style="${cell};color:#555">${escape(name)}</th><td style="${cell};word-break:break-all">${escape(value)}</td></tr>`,
    );
    return [
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(subject)}</title></head>`,
      '<body style="font-family:sans-serif;font-size:16px;line-height:1.5;color:#222;max-width:40em">',
      `<h1 style="font-size:20px">${escape(title)}</h1>`,
      `<p>${escape(sentence)}</p>`,
      ...(test ? [`<p>${escape(test)}</p>`] : []),
      `<table style="border-collapse:collapse">${rows.join('')}</table>`,
      ...(link ? [`<p><a href="${escape(link)}">Public page of the invoice</a></p>`] : []),
      `<p style="font-size:13px;color:#555">${escape(why)}</p>`,
      '</body></html>',
    ].join('\n');
  }
}

/** A line break in a name could begin a header, or imitate a line of ours. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

const shorten = (text: string): string =>
  text.length <= MAX_NAME ? text : `${text.slice(0, MAX_NAME - 1)}…`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter]!);
