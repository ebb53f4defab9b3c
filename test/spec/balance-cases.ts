import assert from 'node:assert/strict';
import { aNumber, anInteger, type Case, type Sent, sending } from './spec-case.ts';

const send = sending();
const balance: Sent = { path: '/v1/balance' };
const search: Sent = { path: '/v1/search', body: { query: 'survey' } };
const configured = (body: object): Sent => ({ path: '/v1/billing/auto-reload', body });
const DEFAULTS = {
  enabled: false,
  threshold: 1_000,
  pack: 'builder',
  monthly_max_usd: 500,
  spent_this_month_usd: 0,
  last_error: null,
};
/** So many requests on a day. */
const on = (day: string, times: number): Sent => ({ ...search, at: `${day}T12:00:00Z`, times });
const burn = (rate: number) => ({ status: 200, is: { burn_rate_per_day: rate } });

/** The balance object, the burn rate, and what changes them. */
export const BALANCE_CASES: Case[] = [
  send('BO01', 'credits is the number of credits left', balance, {
    status: 200,
    is: { credits: 10 },
  }),
  send('BO02', 'burn_rate_per_day is a number, 0 for a new key', balance, {
    status: 200,
    is: { burn_rate_per_day: 0 },
  }),
  send('BO03', 'auto_reload has the defaults of a new key', balance, {
    status: 200,
    is: { auto_reload: DEFAULTS },
  }),
  send('BO04', 'the object has these three fields', balance, {
    status: 200,
    check: ({ json }) =>
      assert.deepEqual(Object.keys(json).toSorted(), ['auto_reload', 'burn_rate_per_day', 'credits']),
  }),
  {
    ...send('BO05', 'credits go down with use', balance, {
      status: 200,
      charged: 3,
      is: { credits: 7 },
    }),
    before: [{ ...search, times: 3 }],
  },
  send('BO06', 'auto-reload answers with the same object', configured({ enabled: false }), {
    status: 200,
    is: { credits: anInteger, burn_rate_per_day: aNumber, auto_reload: DEFAULTS },
  }),
  {
    ...send('BR01', '7 credits used today are 1 per day', balance, { ...burn(1), charged: 7 }),
    before: [{ ...search, times: 7 }],
  },
  {
    ...send(
      'BR02',
      'the last 7 days count',
      { ...balance, at: '2026-11-27T12:00:00Z' },
      { ...burn(1), charged: 7 },
    ),
    before: [on('2026-11-21', 7)],
  },
  {
    ...send(
      'BR03',
      'what was used before them does not',
      { ...balance, at: '2026-11-29T12:00:00Z' },
      { ...burn(0), charged: 7 },
    ),
    before: [on('2026-11-21', 7)],
  },
  {
    ...send(
      'BR04',
      'several days add up',
      { ...balance, at: '2026-11-24T12:00:00Z' },
      { ...burn(1), charged: 7 },
    ),
    before: [on('2026-11-21', 2), on('2026-11-22', 4), on('2026-11-24', 1)],
  },
  {
    ...send('BR05', 'a refunded call is not used', balance, burn(0)),
    before: [{ path: '/r/{site}/lost', times: 3 }],
  },
];
