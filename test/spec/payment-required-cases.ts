import {
  anObject,
  type Case,
  containing,
  each,
  failing,
  missing,
  posting,
  sending,
  someText,
} from './spec-case.ts';

const OUT = { path: '/v1/search', body: { query: 'q' } };
const broke = sending({ credits: 0 });
const keyless = sending({ as: 'keyless', before: [{ path: '/v1/search', body: {}, times: 25 }] });
const none = (more: Parameters<typeof failing>[2]) => failing(402, 'insufficient_credits', more);
const used = (more: Parameters<typeof failing>[2]) => failing(402, 'keyless_limit', { counted: 25, ...more });
const PACKS = [
  ['instant', 15, 15_000],
  ['builder', 50, 60_000],
  ['scale', 150, 200_000],
] as const;
/** A link to one pack that carries the signed reference to the key. */
const SIGNED = /\/buy\/(?:instant|builder|scale)\?(?:\S*&)?k=[\w.~%-]{16,}/;
const LINK = /\/buy\/(?:instant|builder|scale)/;

/** Every field of a 402 and a 432, for a key and without one. */
export const PAYMENT_REQUIRED_CASES: Case[] = [
  ...[
    { make: broke, fails: none, tag: 'PK', who: 'a key without credits' },
    { make: keyless, fails: used, tag: 'PA', who: 'a used-up allowance' },
  ].flatMap(({ make, fails, tag, who }) => [
    make(`${tag}01`, `${who}: error is the code`, OUT, fails({})),
    make(`${tag}02`, `${who}: message is a text with the buy link`, OUT, fails({ message: LINK })),
    make(
      `${tag}03`,
      `${who}: checkout_url is an address to buy credits`,
      OUT,
      fails({ is: { checkout_url: LINK } }),
    ),
    make(
      `${tag}04`,
      `${who}: pricing names the price of a credit`,
      OUT,
      fails({ is: { 'pricing.usd_per_credit': 0.001 } }),
    ),
    make(`${tag}05`, `${who}: packs are the three packs`, OUT, fails({ is: { 'packs.length': 3 } })),
    ...each(PACKS, ([pack, price_usd, credits], n) =>
      make(
        `${tag}06.${n}`,
        `${who}: the pack ${pack} is ${credits} credits for ${price_usd} USD`,
        OUT,
        fails({
          is: {
            [`packs.${n - 1}.pack`]: pack,
            [`packs.${n - 1}.price_usd`]: price_usd,
            [`packs.${n - 1}.credits`]: credits,
            [`packs.${n - 1}.url`]: containing(`/buy/${pack}`),
          },
        }),
      ),
    ),
    make(
      `${tag}07`,
      `${who}: action.type is payment_link`,
      OUT,
      fails({ is: { 'action.type': 'payment_link' } }),
    ),
    make(
      `${tag}08`,
      `${who}: action.url is exactly {base_url}/buy/instant`,
      OUT,
      fails({ is: { 'action.url': '{base_url}/buy/instant' } }),
    ),
    make(
      `${tag}09`,
      `${who}: action.prompt_to_user is a text`,
      OUT,
      fails({ is: { 'action.prompt_to_user': someText } }),
    ),
    make(`${tag}10`, `${who}: X-Payment-URL is sent`, OUT, fails({ headers: { 'x-payment-url': LINK } })),
    make(
      `${tag}11`,
      `${who}: X-Credits-Remaining is 0`,
      OUT,
      fails({ headers: { 'x-credits-remaining': '0' } }),
    ),
    make(`${tag}12`, `${who}: requestId is sent`, OUT, fails({ is: { requestId: someText } })),
  ]),
  broke(
    'PK13',
    'checkout_url carries a signed reference to the key',
    OUT,
    none({ is: { checkout_url: SIGNED } }),
  ),
  broke('PK14', 'the link in message carries the same reference', OUT, none({ message: SIGNED })),
  broke(
    'PK15',
    'X-Payment-URL carries the same reference',
    OUT,
    none({ headers: { 'x-payment-url': SIGNED } }),
  ),
  broke(
    'PK16',
    'nothing resets for a key, so there is no Retry-After',
    OUT,
    none({ headers: { 'retry-after': null } }),
  ),
  keyless('PA13', 'checkout_url carries no reference', OUT, used({ is: { checkout_url: /\/buy\/\w+$/ } })),
  keyless('PA14', 'message says when the allowance resets', OUT, used({ message: /reset|midnight|UTC/i })),
  keyless(
    'PA15',
    'Retry-After is the time to midnight UTC',
    OUT,
    used({ headers: { 'retry-after': '43200' } }),
  ),
  ...secondShape(),
];

function secondShape(): Case[] {
  const path = '/shapeB/search';
  const out = posting(path, { credits: 0 });
  const keylessOut = {
    ...posting(path)('', '', { query: 'q' }, { status: 0 }),
    as: 'keyless' as const,
    before: [{ path, body: {}, times: 25 }],
  };
  const limit = (id: string, holds: string, more: Parameters<typeof failing>[2]): Case => ({
    ...keylessOut,
    id,
    holds,
    expect: failing(432, 'keyless_limit', { counted: 25, ...more }),
  });
  const body = { query: 'q' };
  const empty = (more: Parameters<typeof failing>[2]) => failing(432, 'insufficient_credits', more);
  return [
    out('PB01', 'a key without credits is 432 under /shapeB', body, empty({})),
    out(
      'PB02',
      'detail.error is a text that begins with the code',
      body,
      empty({ message: /^insufficient_credits: \S/ }),
    ),
    out('PB03', 'detail.error contains the buy link', body, empty({ message: LINK })),
    out('PB04', 'the link carries the signed reference to the key', body, empty({ message: SIGNED })),
    out('PB05', 'X-Payment-URL is sent', body, empty({ headers: { 'x-payment-url': SIGNED } })),
    out(
      'PB06',
      'the envelope of the keyless limit is never sent to a key',
      body,
      empty({ is: { error: missing } }),
    ),
    out(
      'PB07',
      'the body is {detail: {error}} alone',
      body,
      empty({ text: /^\{"detail":\{"error":"[^"]*"\}\}$/ }),
    ),
    limit('PB08', 'a used-up allowance is 432 under /shapeB', {}),
    limit('PB09', 'detail.error begins with keyless_limit and has the link', {
      message: /^keyless_limit: .*\/buy\/\w+/,
    }),
    limit('PB10', 'the envelope has the code', { is: { 'error.code': 'keyless_limit' } }),
    limit('PB11', 'the envelope has a message', { is: { 'error.message': someText } }),
    limit('PB12', 'the envelope names the window', { is: { 'error.window': 'day' } }),
    limit('PB13', 'the envelope counts the seconds to midnight UTC', {
      is: { 'error.retry_after_seconds': 43_200 },
    }),
    limit('PB14', 'the envelope names the next action', {
      is: { 'error.next_actions.0.type': 'signup', 'error.next_actions.0.url': containing('/buy/') },
    }),
    limit('PB15', 'detail is an object', { is: { detail: anObject } }),
    limit('PB16', 'Retry-After is the time to midnight UTC', {
      headers: { 'retry-after': '43200' },
    }),
    ...each(['/shapeB/extract', '/shapeB/crawl', '/shapeB/map'], (other, n) =>
      posting(other, { credits: 0 })(
        `PB17.${n}`,
        `${other} is 432 without credits`,
        other === '/shapeB/extract' ? { urls: '{site}/birds' } : { url: '{site}/docs/' },
        empty({ message: LINK }),
      ),
    ),
  ];
}
