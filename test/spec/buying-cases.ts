import assert from 'node:assert/strict';
import { type Case, each, sending } from './spec-case.ts';
import type { SpecFixture } from './spec-fixture.ts';

const buy = sending({ as: 'keyless' });
const owner = sending({ as: 'owner' });
const toCheckout = { status: 303, headers: { location: /^http:\/\/127\.10\.0\.9:\d+\/c\/pay\/\w+$/ } };
const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
const sessionOf = (location: string | null, { stripe }: SpecFixture) =>
  stripe.account.sessions.get(location?.split('/').at(-1) ?? '') ?? assert.fail(`no session at ${location}`);

/** Buy links and the success page. */
export const BUYING_CASES: Case[] = [
  ...each(['instant', 'builder', 'scale'], (pack, n) =>
    buy(`BL01.${n}`, `/buy/${pack} is 303 to the payment page`, { path: `/buy/${pack}` }, toCheckout),
  ),
  ...each(
    [
      ['instant', 1_500],
      ['builder', 5_000],
      ['scale', 15_000],
    ] as const,
    ([pack, cents], n) =>
      buy(
        `BL02.${n}`,
        `the payment page of ${pack} asks for ${cents / 100} USD`,
        { path: `/buy/${pack}` },
        {
          ...toCheckout,
          check: ({ headers }, _, fixture) => {
            const { amount_total, currency } = sessionOf(headers.get('location'), fixture);
            assert.deepEqual([amount_total, currency], [cents, 'usd']);
          },
        },
      ),
  ),
  ...each(['huge', 'Instant', 'instant2', '..%2Finstant', '%00'], (pack, n) =>
    buy(`BL03.${n}`, `/buy/${pack} is 404`, { path: `/buy/${pack}` }, { status: 404 }),
  ),
  buy(
    'BL04',
    'the browser comes back to {site_url}/success',
    { path: '/buy/instant' },
    {
      ...toCheckout,
      check: ({ headers }, _, fixture) =>
        assert.match(
          sessionOf(headers.get('location'), fixture).success_url,
          /^http:\/\/site\.example\.org\/success\?/,
        ),
    },
  ),
  ...each(
    [
      'auto_reload=1',
      'auto_reload=1&threshold=100',
      'auto_reload=1&threshold=100000',
      'auto_reload=1&reload_pack=instant',
      'auto_reload=1&reload_pack=scale',
      'auto_reload=1&monthly_max_usd=500',
      'auto_reload=1&monthly_max_usd=1',
      'auto_reload=1&monthly_max_usd=49.99',
      'threshold=2000',
      'reload_pack=builder',
      'monthly_max_usd=100',
      'auto_reload=',
      'threshold=',
      'utm_source=mail',
    ],
    (query, n) => buy(`BQ01.${n}`, `?${query} is taken`, { path: `/buy/instant?${query}` }, toCheckout),
  ),
  ...each(
    [
      'auto_reload=2',
      'auto_reload=yes',
      'threshold=99',
      'threshold=100001',
      'threshold=100.5',
      'threshold=many',
      'threshold=-1',
      'reload_pack=huge',
      'reload_pack=Instant',
      'monthly_max_usd=0',
      'monthly_max_usd=-5',
      'monthly_max_usd=500.01',
      'monthly_max_usd=501',
      'monthly_max_usd=much',
      'k=forged',
      'k=a2V5.forged',
    ],
    (query, n) =>
      buy(`BQ02.${n}`, `?${query} is refused`, { path: `/buy/instant?${query}` }, { status: 422 }),
  ),
  buy(
    'BQ03',
    'auto_reload=1 says on the payment page what the card is kept for',
    { path: '/buy/instant?auto_reload=1' },
    {
      ...toCheckout,
      check: ({ headers }, _, fixture) =>
        assert.match(sessionOf(headers.get('location'), fixture).custom_text.submit?.message ?? '', /\S/),
    },
  ),
  buy(
    'BQ04',
    'without it the card is not kept',
    { path: '/buy/instant' },
    {
      ...toCheckout,
      check: ({ headers }, _, fixture) =>
        assert.equal(
          fixture.stripe.account.plans.get(sessionOf(headers.get('location'), fixture).id)
            ?.setup_future_usage,
          null,
        ),
    },
  ),
  buy(
    'BQ05',
    'with it the card is kept for later',
    { path: '/buy/instant?auto_reload=1' },
    {
      ...toCheckout,
      check: ({ headers }, _, fixture) =>
        assert.equal(
          fixture.stripe.account.plans.get(sessionOf(headers.get('location'), fixture).id)
            ?.setup_future_usage,
          'off_session',
        ),
    },
  ),
  buy(
    'BQ06',
    'an unpaid link gives nothing',
    { path: '/success?session_id=cs_none&n=guess' },
    { status: 404, text: /^(?![\s\S]*id="key")/ },
  ),
  buy(
    'BQ07',
    'a link to buy works without a key and counts no request',
    { path: '/buy/instant' },
    toCheckout,
  ),

  owner('BP01', 'the success page shows the key', { path: '{success}' }, { status: 200, text: /id="key"/ }),
  owner(
    'BP02',
    'it has a way to copy the key to the clipboard',
    { path: '{success}' },
    { status: 200, text: /clipboard/ },
  ),
  owner(
    'BP03',
    'the bought key has the credits of its pack',
    { path: '/v1/balance' },
    { status: 200, is: { credits: 15_000 } },
  ),
  owner(
    'BP04',
    'the page is never kept by a cache',
    { path: '{success}' },
    { status: 200, headers: { 'cache-control': /no-store/ } },
  ),
  owner(
    'BP05',
    'an hour later the key is not shown again',
    { path: '{success}', at: '2026-11-21T13:00:01Z' },
    { status: 200, text: /^(?![\s\S]*id="key")/ },
  ),
  owner(
    'BP06',
    'without its secret the page shows nothing',
    { path: '/success' },
    { status: 404, text: /^(?![\s\S]*id="key")/ },
  ),
  {
    ...owner(
      'BP07',
      'a cap above 500 USD is set on the success page',
      { path: '/v1/balance' },
      { status: 200, is: { 'auto_reload.monthly_max_usd': 2_000 } },
    ),
    before: [{ path: '/success', body: '{success?}&auto_reload=1&monthly_max_usd=2000', headers: FORM }],
  },
  {
    ...owner(
      'BP08',
      'after that the API may still set 500 at most',
      { path: '/v1/billing/auto-reload', body: { enabled: true, monthly_max_usd: 501 } },
      { status: 422, field: 'monthly_max_usd' },
    ),
    before: [{ path: '/success', body: '{success?}&auto_reload=1&monthly_max_usd=2000', headers: FORM }],
  },
  {
    ...owner(
      'BP09',
      'a cap raised in the browser may be asked for through the API',
      { path: '/v1/billing/auto-reload', body: { enabled: true, monthly_max_usd: 400 } },
      { status: 200, is: { 'auto_reload.monthly_max_usd': 400 } },
    ),
    link: 'auto_reload=1&monthly_max_usd=200',
    before: [{ path: '/success', body: '{success?}&auto_reload=1&monthly_max_usd=400', headers: FORM }],
  },
  {
    ...owner(
      'BP10',
      'a cap lowered in the browser holds for the API',
      { path: '/v1/billing/auto-reload', body: { enabled: true, monthly_max_usd: 101 } },
      { status: 422, field: 'monthly_max_usd' },
    ),
    before: [{ path: '/success', body: '{success?}&auto_reload=1&monthly_max_usd=100', headers: FORM }],
  },
  {
    ...owner(
      'BP11',
      'a cap above 500 that is set in the browser is kept when the API omits it',
      { path: '/v1/billing/auto-reload', body: { enabled: true } },
      { status: 200, is: { 'auto_reload.monthly_max_usd': 2_000 } },
    ),
    before: [{ path: '/success', body: '{success?}&auto_reload=1&monthly_max_usd=2000', headers: FORM }],
  },
];
