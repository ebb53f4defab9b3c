import { type Case, each, failing, posting, refused, type Sent, sending } from './spec-case.ts';

const owner = sending({ as: 'owner' });
const set = posting('/v1/billing/auto-reload', { as: 'owner' });
const noCard = posting('/v1/billing/auto-reload');
const balance: Sent = { path: '/v1/balance' };
const configured = (body: object): Sent => ({ path: '/v1/billing/auto-reload', body });
const reload = (fields: Record<string, unknown>) => ({
  status: 200,
  is: Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`auto_reload.${name}`, value as string]),
  ),
});
const DEFAULTS = {
  enabled: false,
  threshold: 1_000,
  pack: 'builder',
  monthly_max_usd: 500,
  spent_this_month_usd: 0,
  last_error: null,
};

/** What auto-reload can be set to through the API, and by whom. */
export const RELOAD_SETTING_CASES: Case[] = [
  noCard(
    'AP01',
    'without a saved card enabled true is 409 no_payment_method',
    { enabled: true },
    failing(409, 'no_payment_method'),
  ),
  noCard(
    'AP02',
    'its message carries a buy link',
    { enabled: true },
    failing(409, 'no_payment_method', { message: /\{?http\S+\/buy\/\w+/ }),
  ),
  noCard(
    'AP03',
    'the link carries the signed reference to the key',
    { enabled: true },
    failing(409, 'no_payment_method', { message: /\/buy\/\w+\?(?:\S*&)?k=[\w.-]{16,}/ }),
  ),
  {
    ...sending()('AP04', 'a 409 leaves auto-reload off', balance, {
      status: 200,
      is: { 'auto_reload.enabled': false },
    }),
    before: [configured({ enabled: true })],
  },
  noCard('AP05', 'without a saved card enabled false is 200', { enabled: false }, reload({ enabled: false })),
  set('AP06', 'with a saved card enabled true turns it on', { enabled: true }, reload({ enabled: true })),
  set('AP07', 'enabled false turns it off', { enabled: false }, reload({ enabled: false })),
  {
    ...set('AP08', 'it can be turned on again', { enabled: true }, reload({ enabled: true })),
    before: [configured({ enabled: false })],
  },
  ...each([{}, { enabled: null }, { enabled: 'true' }, { enabled: 1 }, { enabled: [] }], (body, n) =>
    set(`AP09.${n}`, `${JSON.stringify(body)} is refused`, body, refused('enabled')),
  ),
  ...each([100, 101, 1_000, 99_999, 100_000], (threshold, n) =>
    set(`AT01.${n}`, `threshold ${threshold} is taken`, { enabled: false, threshold }, reload({ threshold })),
  ),
  ...each([99, 0, -1, 100_001, 100.5, '1000', true, 1e300], (threshold, n) =>
    set(
      `AT02.${n}`,
      `threshold ${JSON.stringify(threshold)} is refused`,
      { enabled: true, threshold },
      refused('threshold'),
    ),
  ),
  set(
    'AT03',
    'threshold null keeps the value',
    { enabled: true, threshold: null },
    reload({ threshold: 1_000 }),
  ),
  ...each(['instant', 'builder', 'scale'], (pack, n) =>
    set(`AT04.${n}`, `pack ${pack} is taken`, { enabled: true, pack }, reload({ pack })),
  ),
  ...each(['huge', '', 'Instant', 7, ['instant']], (pack, n) =>
    set(`AT05.${n}`, `pack ${JSON.stringify(pack)} is refused`, { enabled: true, pack }, refused('pack')),
  ),
  ...each([500, 499.99, 15, 1], (monthly_max_usd, n) =>
    set(
      `AM01.${n}`,
      `monthly_max_usd ${monthly_max_usd} is taken`,
      { enabled: true, monthly_max_usd },
      reload({ monthly_max_usd }),
    ),
  ),
  ...each([500.01, 501, 1_000, 1e300], (monthly_max_usd, n) =>
    set(
      `AM02.${n}`,
      `monthly_max_usd ${monthly_max_usd} is refused, and the message says where to raise it`,
      { enabled: true, monthly_max_usd },
      refused('monthly_max_usd', { message: /page|browser|account|http/i }),
    ),
  ),
  ...each([0, 0.001, 0.004, -1, '500', true], (monthly_max_usd, n) =>
    set(
      `AM03.${n}`,
      `monthly_max_usd ${JSON.stringify(monthly_max_usd)} is refused`,
      { enabled: true, monthly_max_usd },
      refused('monthly_max_usd'),
    ),
  ),
  set(
    'AM04',
    'monthlyMaxUsd is the same field',
    { enabled: true, monthlyMaxUsd: 200 },
    reload({ monthly_max_usd: 200 }),
  ),
  {
    ...set(
      'AM05',
      'a cap lowered through the API goes up again to what the owner set',
      { enabled: true, monthly_max_usd: 500 },
      reload({ monthly_max_usd: 500 }),
    ),
    before: [configured({ enabled: true, monthly_max_usd: 20 })],
  },
  {
    ...set(
      'AM06',
      'the cap of the buy link may be asked for',
      { enabled: true, monthly_max_usd: 200 },
      reload({ monthly_max_usd: 200 }),
    ),
    link: 'auto_reload=1&monthly_max_usd=200',
  },
  {
    ...set(
      'AM07',
      'a cap above that of the buy link is refused',
      { enabled: true, monthly_max_usd: 200.01 },
      refused('monthly_max_usd', { message: /page|browser|account|http/i }),
    ),
    link: 'auto_reload=1&monthly_max_usd=200',
  },
  {
    ...set(
      'AM08',
      '500 is refused where the owner set less',
      { enabled: true, monthly_max_usd: 500 },
      refused('monthly_max_usd'),
    ),
    link: 'auto_reload=1&monthly_max_usd=200',
  },
  {
    ...set(
      'AM09',
      'a lower cap may be set',
      { enabled: true, monthly_max_usd: 199.99 },
      reload({ monthly_max_usd: 199.99 }),
    ),
    link: 'auto_reload=1&monthly_max_usd=200',
  },
  {
    ...set(
      'AM10',
      'a refused cap changes nothing',
      { enabled: true },
      reload({ monthly_max_usd: 200, threshold: 1_000 }),
    ),
    link: 'auto_reload=1&monthly_max_usd=200',
    before: [configured({ enabled: true, monthly_max_usd: 500, threshold: 5_000 })],
  },
  {
    ...set(
      'AM11',
      'omitted fields keep their values',
      { enabled: true },
      reload({ threshold: 5_000, pack: 'scale', monthly_max_usd: 300 }),
    ),
    before: [configured({ enabled: true, threshold: 5_000, pack: 'scale', monthly_max_usd: 300 })],
  },
  {
    ...set(
      'AM12',
      'turning it off keeps the values',
      { enabled: false },
      reload({ enabled: false, threshold: 5_000, pack: 'scale' }),
    ),
    before: [configured({ enabled: true, threshold: 5_000, pack: 'scale' })],
  },
  set('AM13', 'unknown fields are ignored', { enabled: true, currency: 'eur' }, reload({ enabled: true })),
  {
    ...owner(
      'AM14',
      'threshold, reload pack and cap of the buy link hold',
      balance,
      reload({ enabled: true, threshold: 2_500, pack: 'scale', monthly_max_usd: 300 }),
    ),
    link: 'auto_reload=1&threshold=2500&reload_pack=scale&monthly_max_usd=300',
  },
  owner(
    'AM15',
    'the defaults of the buy link are 1,000, builder and 500',
    balance,
    reload({ ...DEFAULTS, enabled: true }),
  ),
  {
    ...owner('AM16', 'a link without auto_reload leaves it off', balance, reload({ enabled: false })),
    link: '',
  },
  {
    ...set(
      'AM17',
      'a link without auto_reload saves no card',
      { enabled: true },
      failing(409, 'no_payment_method'),
    ),
    link: '',
  },
];
