import { type Case, type Sent, sending, someText } from './spec-case.ts';

const balance: Sent = { path: '/v1/balance' };
const search: Sent = { path: '/v1/search', body: { query: 'survey' } };
const configured = (body: object): Sent => ({ path: '/v1/billing/auto-reload', body });
const IN_DECEMBER = '2026-12-01T00:00:00Z';
const THRESHOLD = 'auto_reload=1&threshold=15000';

type Row = Pick<Case, 'card'> & {
  id: string;
  holds: string;
  link?: string;
  before: Sent[];
  at?: string;
  is: NonNullable<Case['expect']['is']>;
};

/** A key of 15,000 credits, what has happened to it, and its balance then. */
const row = ({ id, holds, link = THRESHOLD, before, at, is, card = 'ok' }: Row): Case => ({
  ...sending({ as: 'owner', link, card, before })(
    id,
    holds,
    at === undefined ? balance : { ...balance, at },
    { status: 200, is },
  ),
});
const reloaded = (spent: number) => ({
  'auto_reload.enabled': true,
  'auto_reload.spent_this_month_usd': spent,
  'auto_reload.last_error': null,
});

/** Each row of the state table of auto-reload, with its edges. */
export const RELOAD_CASES: Case[] = [
  row({
    id: 'RT01',
    holds: 'credits exactly at the threshold buy nothing',
    link: 'auto_reload=1&threshold=14999',
    before: [search],
    is: { credits: 14_999, ...reloaded(0) },
  }),
  row({
    id: 'RT02',
    holds: 'credits one below the threshold buy the pack',
    before: [search],
    is: { credits: 74_999, ...reloaded(50) },
  }),
  row({
    id: 'RT03',
    holds: 'the next deduction above the threshold buys nothing',
    before: [{ ...search, times: 3 }],
    is: { credits: 74_997, ...reloaded(50) },
  }),
  row({
    id: 'RT04',
    holds: 'the instant pack adds 15,000 credits for 15 USD',
    link: `${THRESHOLD}&reload_pack=instant`,
    before: [search],
    is: { credits: 29_999, ...reloaded(15) },
  }),
  row({
    id: 'RT05',
    holds: 'the scale pack adds 200,000 credits for 150 USD',
    link: `${THRESHOLD}&reload_pack=scale`,
    before: [search],
    is: { credits: 214_999, ...reloaded(150) },
  }),
  row({
    id: 'RT06',
    holds: 'turned off nothing is bought',
    before: [configured({ enabled: false }), search],
    is: { credits: 14_999, 'auto_reload.enabled': false, 'auto_reload.spent_this_month_usd': 0 },
  }),
  row({
    id: 'RT07',
    holds: 'turned on again the next deduction buys',
    before: [configured({ enabled: false }), search, configured({ enabled: true }), search],
    is: { credits: 74_998, ...reloaded(50) },
  }),
  row({
    id: 'RT08',
    holds: 'turning it on is no deduction and buys nothing',
    before: [configured({ enabled: false }), search, configured({ enabled: true })],
    is: { credits: 14_999, ...reloaded(0) },
  }),
  row({
    id: 'RT09',
    holds: 'a call that fails buys nothing',
    before: [{ path: '/v1/search', body: {} }, { path: '/r/{site}/lost' }],
    is: { credits: 15_000, ...reloaded(0) },
  }),
  row({
    id: 'RT10',
    holds: 'it is decided on what was used, not on what was held',
    link: 'auto_reload=1&threshold=14998',
    before: [
      {
        path: '/v1/contents',
        body: { urls: ['{site}/birds', '{site}/lost/1', '{site}/lost/2', '{site}/lost/3'] },
      },
    ],
    is: { credits: 14_999, ...reloaded(0) },
  }),
  row({
    id: 'RT11',
    holds: 'spend that reaches the cap exactly is within it',
    link: `${THRESHOLD}&monthly_max_usd=50`,
    before: [search],
    is: { credits: 74_999, ...reloaded(50) },
  }),
  row({
    id: 'RT12',
    holds: 'a pack one cent over the cap is not bought',
    link: `${THRESHOLD}&monthly_max_usd=49.99`,
    before: [search],
    is: { credits: 14_999, ...reloaded(0) },
  }),
  row({
    id: 'RT13',
    holds: 'a second pack that would exceed the cap is not bought',
    link: 'auto_reload=1&threshold=100000&reload_pack=instant&monthly_max_usd=29.99',
    before: [{ ...search, times: 3 }],
    is: { credits: 29_997, ...reloaded(15) },
  }),
  row({
    id: 'RT14',
    holds: 'a second pack that reaches the cap is bought, a third is not',
    link: 'auto_reload=1&threshold=100000&reload_pack=instant&monthly_max_usd=30',
    before: [{ ...search, times: 4 }],
    is: { credits: 44_996, ...reloaded(30) },
  }),
  row({
    id: 'RT15',
    holds: 'a cap that stops a purchase leaves auto-reload on',
    link: `${THRESHOLD}&monthly_max_usd=15`,
    before: [search],
    is: { credits: 14_999, ...reloaded(0) },
  }),
  row({
    id: 'RT16',
    holds: 'a new UTC month begins with nothing spent',
    before: [search],
    at: IN_DECEMBER,
    is: { credits: 74_999, ...reloaded(0) },
  }),
  row({
    id: 'RT17',
    holds: 'a millisecond before it the old month holds',
    before: [search],
    at: '2026-11-30T23:59:59.999Z',
    is: { credits: 74_999, ...reloaded(50) },
  }),
  row({
    id: 'RT18',
    holds: 'in a new month the cap allows a purchase again',
    link: 'auto_reload=1&threshold=100000&reload_pack=instant&monthly_max_usd=15',
    before: [
      { ...search, times: 2 },
      { ...search, at: IN_DECEMBER },
    ],
    at: IN_DECEMBER,
    is: { credits: 44_997, ...reloaded(15) },
  }),
  row({
    id: 'RT19',
    holds: 'a lower cap through the API holds at once',
    before: [configured({ enabled: true, monthly_max_usd: 49 }), search],
    is: { credits: 14_999, ...reloaded(0) },
  }),
  row({
    id: 'RT20',
    holds: 'a threshold through the API holds at once',
    link: 'auto_reload=1',
    before: [configured({ enabled: true, threshold: 15_000 }), search],
    is: { credits: 74_999, ...reloaded(50) },
  }),
  row({
    id: 'RT21',
    holds: 'a pack through the API is the one that is bought',
    before: [configured({ enabled: true, pack: 'instant' }), search],
    is: { credits: 29_999, ...reloaded(15) },
  }),
  ...(['card_declined', 'insufficient_funds', 'expired_card', 'authentication_required'] as const).map(
    (card, place) =>
      row({
        id: `RX01.${place + 1}`,
        holds: `a payment that ends in ${card} turns auto-reload off and sets last_error`,
        card,
        before: [search],
        is: {
          credits: 14_999,
          'auto_reload.enabled': false,
          'auto_reload.last_error': someText,
          'auto_reload.spent_this_month_usd': 0,
        },
      }),
  ),
  row({
    id: 'RX02',
    holds: 'after a decline nothing is tried again',
    card: 'card_declined',
    before: [{ ...search, times: 3 }],
    is: { credits: 14_997, 'auto_reload.enabled': false, 'auto_reload.spent_this_month_usd': 0 },
  }),
  row({
    id: 'RX03',
    holds: 'turning it on again clears last_error',
    card: 'card_declined',
    before: [search, configured({ enabled: true })],
    is: { credits: 14_999, 'auto_reload.enabled': true, 'auto_reload.last_error': null },
  }),
  row({
    id: 'RX04',
    holds: 'credits arrive when the payment succeeds, not before',
    card: 'processing',
    before: [search],
    is: { credits: 14_999, 'auto_reload.enabled': true, 'auto_reload.last_error': null },
  }),
  row({
    id: 'RX05',
    holds: 'while a payment is under way nothing more is bought',
    card: 'processing',
    before: [{ ...search, times: 3 }],
    is: { credits: 14_997, 'auto_reload.enabled': true },
  }),
];
