import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { KEYLESS_REQUESTS_PER_DAY } from '../contract/limits.ts';
import type { Exposure } from '../platform/net/exposure.ts';

/** A setting that is a comma list; empty items are dropped. */
export const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
/** A comma list of networks. */
export const networks = list.refine(
  (cidrs) => cidrs.every((cidr) => ipaddr.isValidCIDR(cidr)),
  'must be a comma list of CIDRs such as 10.0.0.0/8',
);

/** Settings for callers and payments. */
export type CallersConfig = {
  /** True if calls are counted and charged. False: there are no keys, credits or prices, and anyone who reaches the server may call. */
  readonly metering: boolean;
  /** Networks (CIDRs) whose callers are neither counted nor charged. */
  readonly unmeteredNetworks: readonly string[];
  /** Keyless requests per address and UTC day; 0: a key is required. */
  readonly keylessPerDay: number;
  /** True if anyone may claim a free key. */
  readonly freeKeys: boolean;
  /** The payment provider; `off`: nothing is sold. */
  readonly payments: 'stripe' | 'sandbox' | 'off';
  /** Allows sign-in profiles and collections to nobody, to the operator (callers who are not metered), or to keys too. */
  readonly privateSites: 'off' | 'operator' | 'keys';
  /** True if the operator set PAYMENTS. */
  readonly isPaymentsSet: boolean;
};

/** A switch that is on unless it is set to off. */
export const onOrOff = z.enum(['on', 'off'], 'must be on or off').default('on');

const KEYLESS_PER_DAY_MAX = 1_000_000_000;
const keylessReason = `must be a whole number from 0 to ${KEYLESS_PER_DAY_MAX.toLocaleString('en')}; 0 means that a key is required`;

export const CALLER_SETTINGS = {
  METERING: onOrOff,
  UNMETERED_NETWORKS: networks,
  KEYLESS_PER_DAY: z
    .string()
    .regex(/^\d{1,10}$/, keylessReason)
    .transform(Number)
    .refine((requests) => requests <= KEYLESS_PER_DAY_MAX, keylessReason)
    .default(KEYLESS_REQUESTS_PER_DAY),
  FREE_KEYS: onOrOff,
  PRIVATE_SITES: z.enum(['off', 'operator', 'keys'], 'must be off, operator or keys').default('off'),
  PAYMENTS: z.enum(['stripe', 'sandbox', 'off'], 'must be stripe, sandbox or off').optional(),
};

type CallerSettings = z.output<z.ZodObject<typeof CALLER_SETTINGS>>;

/** Pure. If PAYMENTS is not set, only a server for this machine uses the sandbox, which gives credits away. */
export function readCallersConfig(
  settings: CallerSettings,
  { audience, hasStripeKey }: { audience: Exposure['audience']; hasStripeKey: boolean },
): CallersConfig {
  const metering = settings.METERING === 'on';
  const byDefault = hasStripeKey ? 'stripe' : audience === 'machine' ? 'sandbox' : 'off';
  return {
    metering,
    unmeteredNetworks: Object.freeze(settings.UNMETERED_NETWORKS),
    keylessPerDay: settings.KEYLESS_PER_DAY,
    freeKeys: settings.FREE_KEYS === 'on',
    payments: metering ? (settings.PAYMENTS ?? byDefault) : 'off',
    privateSites: settings.PRIVATE_SITES,
    isPaymentsSet: settings.PAYMENTS !== undefined,
  };
}
