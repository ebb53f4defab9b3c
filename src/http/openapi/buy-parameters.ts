import * as z from 'zod';
import { PACK_NAMES, RELOAD } from '../../billing/ledger/prices.ts';
import type { Parameter } from '../calls/operation.ts';

const createQueryParameter = (name: string, about: string, schema: z.ZodType): Parameter => ({
  name,
  in: 'query',
  about,
  schema,
});

/** The parameters of GET /buy/{pack}. */
export const BUY_PARAMETERS: Parameter[] = [
  { name: 'pack', in: 'path', required: true, about: 'The pack to buy.', schema: z.enum(PACK_NAMES) },
  createQueryParameter(
    'auto_reload',
    '1 turns auto-reload on and saves the card; off without it.',
    z.enum(['1']),
  ),
  createQueryParameter(
    'threshold',
    'Reload when the credits fall below this number.',
    z.int().min(RELOAD.thresholdMin).max(RELOAD.thresholdMax).default(RELOAD.threshold),
  ),
  createQueryParameter(
    'reload_pack',
    'The pack that each reload buys.',
    z.enum(PACK_NAMES).default(RELOAD.pack),
  ),
  createQueryParameter(
    'monthly_max_usd',
    "Cap on a UTC month's auto-reload spend, in USD.",
    z
      .number()
      .min(RELOAD.capUsdMin)
      .max(RELOAD.capUsdMax)
      .default(RELOAD.capUsd)
      .meta({ examples: [50, 19.99] }),
  ),
  createQueryParameter(
    'k',
    'A signed reference to the key to top up, as in the links of a 402; empty counts as absent.',
    z.string().meta({ examples: [''] }),
  ),
];
