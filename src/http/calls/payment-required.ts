import { CENTS_PER_USD, PACKS, PRICES } from '../../billing/ledger/prices.ts';
import type { Failure } from '../../contract/errors.ts';
import { USD_PER_CREDIT } from '../../contract/limits.ts';
import type { JsonObject } from './call.ts';

/** Where to buy: the service's address, and a signed reference to the calling key, if there is one. */
export type Shop = { baseUrl: string; topUp: string | null };

/** The pack that links name by default. */
const PACK = 'instant';

/**
 * The offer to a caller without credits: prices, where to buy, and one link to show to a person. With a top-up reference the
 * links add credits to the key that ran out; `action.url` names only the pack.
 */
export function paymentOffer(shop: Shop): JsonObject & { checkout_url: string } {
  const { credits, priceUsd } = PACKS[PACK];
  return {
    checkout_url: paymentLink(shop),
    pricing: {
      usd_per_credit: USD_PER_CREDIT,
      credits: {
        search: PRICES.search,
        find_similar: PRICES.findSimilar,
        read: PRICES.read,
        contents_per_url: PRICES.contentsPerUrl,
        research_per_search: PRICES.researchPerSearch,
      },
    },
    packs: Object.entries(PACKS).map(([pack, offered]) => ({
      pack,
      price_usd: offered.priceUsd,
      credits: offered.credits,
      url: buyLink(shop, pack, {}),
    })),
    action: {
      type: 'payment_link',
      url: paymentLink({ ...shop, topUp: null }),
      prompt_to_user: `Buy ${credits.toLocaleString('en')} credits for ${priceUsd} USD to continue: ${paymentLink(shop)}`,
    },
  };
}

/** The message of a 402 with its payment link: most client libraries show only the message. */
export function withPaymentLink({ message, code }: Failure, shop: Shop): string {
  const buy = `Buy credits at ${paymentLink(shop)}`;
  return code === 'keyless_limit'
    ? `${message} ${buy} or claim a free key with POST ${shop.baseUrl}/v1/keys/free`
    : `${message} ${buy}`;
}

/** The link where a person buys credits. */
export function paymentLink(shop: Shop): string {
  return buyLink(shop, PACK, {});
}

/** The link that saves a card and turns on auto-reload with the requested settings. */
export function cardLink(shop: Shop, { reload }: Pick<Failure, 'reload'>): string {
  const { threshold, pack, capCents } = reload ?? {};
  return buyLink(shop, PACK, {
    auto_reload: '1',
    threshold,
    reload_pack: pack,
    monthly_max_usd: capCents === undefined ? undefined : capCents / CENTS_PER_USD,
  });
}

function buyLink(
  { baseUrl, topUp }: Shop,
  pack: string,
  asked: Record<string, string | number | undefined>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...asked, k: topUp ?? undefined }))
    if (value !== undefined) query.set(name, String(value));
  return `${baseUrl}/buy/${pack}${query.size === 0 ? '' : `?${query}`}`;
}
