import { LRUCache } from 'lru-cache';
import { CENTS_PER_USD, PACKS, PRICES } from '../../billing/ledger/prices.ts';
import type { Failure } from '../../contract/errors.ts';
import { USD_PER_CREDIT } from '../../contract/limits.ts';
import type { JsonObject } from './call.ts';
import type { Terms } from './operation.ts';

/** Context for payment links: the service's base URL, a signed reference to the calling key, if there is one, and the terms of sale. */
export type Shop = {
  baseUrl: string;
  topUp: string | null;
  terms: Terms | null;
  /** The caller is on the server's own machine and so probably its operator; absent: no. */
  isOnThisMachine?: boolean;
};

/** Returns true if credits are for sale. */
export const canBuyCredits = ({ terms }: Shop): boolean => terms?.sells ?? false;

/** The default pack of links. */
const PACK = 'instant';

/**
 * Returns the offer to a caller without credits: prices, where to buy, and one link to show to a person. With a top-up reference the links
 * add credits to the key that ran out; `action.url` names only the pack. Where nothing is sold, no pack is listed, and the links, which the
 * API promises, lead to a page that says so.
 */
export function buildPaymentOffer(shop: Shop): Offer {
  const { baseUrl, topUp, terms } = shop;
  const key = [baseUrl, topUp, terms?.sells, terms?.freeKeys, shop.isOnThisMachine].join(' ');
  const offer = offers.get(key) ?? createOffer(shop);
  offers.set(key, offer);
  return offer;
}

type Offer = JsonObject & { checkout_url: string };

/** Offers are cached because a key without credits is often refused many times. */
const OFFERS_KEPT_MAX = 1_000;
const offers = new LRUCache<string, Offer>({ max: OFFERS_KEPT_MAX });

function createOffer(shop: Shop): Offer {
  const { credits, priceUsd } = PACKS[PACK];
  return {
    checkout_url: buildPaymentLink(shop),
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
    packs: Object.entries(canBuyCredits(shop) ? PACKS : {}).map(([pack, offered]) => ({
      pack,
      price_usd: offered.priceUsd,
      credits: offered.credits,
      url: buildBuyLink(shop, pack, {}),
    })),
    action: {
      type: 'payment_link',
      url: buildPaymentLink({ ...shop, topUp: null }),
      prompt_to_user: canBuyCredits(shop)
        ? `Buy ${credits.toLocaleString('en')} credits for ${priceUsd} USD to continue: ${buildPaymentLink(shop)}`
        : describeNextStep(shop, { hasKey: shop.topUp !== null }),
    },
  };
}

/** Appends to the message how to get credits or a key: most client libraries show only the message. */
export function addNextStep({ message, code, isDisputed }: Failure, shop: Shop): string {
  if (isDisputed) return message;
  return `${message} ${describeNextStep(shop, { hasKey: code === 'insufficient_credits' })}`;
}

/** Describes how to get credits or a key; the operator of this server is first told how to turn metering off. */
export function describeNextStep(shop: Shop, { hasKey }: { hasKey: boolean }): string {
  const step = describePurchase(shop, { hasKey });
  return shop.isOnThisMachine === true ? `${FOR_THE_OPERATOR}. Otherwise ${lowerFirstLetter(step)}` : step;
}

export const FOR_THE_OPERATOR =
  'If this server is yours, start it with METERING=off, and calls need neither keys nor credits';

export const lowerFirstLetter = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function describePurchase(shop: Shop, { hasKey }: { hasKey: boolean }): string {
  const claim = `claim a free key with POST ${shop.baseUrl}/v1/keys/free`;
  const claims = !hasKey && shop.terms?.freeKeys === true;
  if (canBuyCredits(shop)) return `Buy credits at ${buildPaymentLink(shop)}${claims ? ` or ${claim}` : ''}`;
  if (claims) return `To go on, ${claim}`;
  return `Ask the operator of this service for ${hasKey ? 'credits' : 'a key'}.`;
}

/** Links that a client may offer its user. */
export function buildSignUpLinks(shop: Shop): JsonObject[] {
  return canBuyCredits(shop) ? [{ type: 'signup', url: buildPaymentLink(shop) }] : [];
}

/** Appends to the message the link that saves a card. */
export function addCardLink(failure: Failure, shop: Shop): string {
  return canBuyCredits(shop)
    ? `${failure.message} Buy a pack and save the card at ${buildCardLink(shop, failure)}`
    : `${failure.message} This service sells no packs at the moment.`;
}

/** The link where a person buys credits. */
export function buildPaymentLink(shop: Shop): string {
  return buildBuyLink(shop, PACK, {});
}

/** The link that saves a card and turns on auto-reload with the requested settings. */
export function buildCardLink(shop: Shop, { reload }: Pick<Failure, 'reload'>): string {
  const { threshold, pack, capCents } = reload ?? {};
  return buildBuyLink(shop, PACK, {
    auto_reload: '1',
    threshold,
    reload_pack: pack,
    monthly_max_usd: capCents === undefined ? undefined : capCents / CENTS_PER_USD,
  });
}

function buildBuyLink(
  { baseUrl, topUp }: Shop,
  pack: string,
  asked: Record<string, string | number | undefined>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...asked, k: topUp ?? undefined }))
    if (value !== undefined) query.set(name, String(value));
  return `${baseUrl}/buy/${pack}${query.size === 0 ? '' : `?${query}`}`;
}
