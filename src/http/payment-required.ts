import { PACKS, PRICES } from '../billing/prices.ts';
import { USD_PER_CREDIT } from '../limits.ts';
import type { JsonObject } from './call.ts';

/**
 * What a caller without credits is told: what it costs, where to buy, and one link to show to a person. With a top-up reference
 * `checkout_url` adds the credits to the key that ran out.
 */
export function paymentOffer(baseUrl: string, topUp: string | null): JsonObject & { checkout_url: string } {
  const buy = (pack: string): string => `${baseUrl}/buy/${pack}`;
  return {
    checkout_url: topUp === null ? buy('builder') : `${buy('builder')}?k=${topUp}`,
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
    packs: Object.entries(PACKS).map(([pack, { priceUsd, credits }]) => ({
      pack,
      price_usd: priceUsd,
      credits,
      url: buy(pack),
    })),
    action: {
      type: 'payment_link',
      url: buy('instant'),
      prompt_to_user: `Buy ${PACKS.instant.credits.toLocaleString('en')} credits for ${PACKS.instant.priceUsd} USD to go on: ${buy('instant')}`,
    },
  };
}

/** The link goes into the text as well, because most client libraries show nothing else. */
export function withPaymentLink(message: string, code: string, baseUrl: string): string {
  const buy = `Buy credits: ${baseUrl}/buy/instant`;
  return code === 'keyless_limit'
    ? `${message} ${buy}, or claim a free key with POST ${baseUrl}/v1/keys/free`
    : `${message} ${buy}`;
}
