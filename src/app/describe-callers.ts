import { createNetworkMatcher } from '../billing/ledger/address-prefixes.ts';
import { isLoopback } from '../platform/net/exposure.ts';
import type { Config } from './config.ts';

type CallerConfig = Pick<
  Config,
  | 'metering'
  | 'unmeteredNetworks'
  | 'keylessPerDay'
  | 'freeKeys'
  | 'payments'
  | 'host'
  | 'exposure'
  | 'trustProxy'
  | 'isPaymentsSet'
>;

/** Describes in one line for the operator who may call and on what terms. */
export function describeCallers(config: CallerConfig): string {
  const { metering, unmeteredNetworks, keylessPerDay, freeKeys } = config;
  if (!metering) return 'anyone who reaches the server, without keys, credits or limits (METERING=off)';
  const keyless =
    keylessPerDay === 0
      ? 'only with a key (KEYLESS_PER_DAY=0)'
      : `${keylessPerDay.toLocaleString('en')} free requests per address and day, more with a key`;
  return [
    keyless,
    freeKeys ? 'free keys' : 'no free keys (FREE_KEYS=off)',
    PAYMENTS[config.payments],
    ...(unmeteredNetworks.length === 0 ? [] : [`not metered: ${unmeteredNetworks.join(', ')}`]),
  ].join('; ');
}

const PAYMENTS: Record<Config['payments'], string> = {
  stripe: 'payments with Stripe',
  sandbox: 'payments in the built-in sandbox, so anyone can get credits and no money moves',
  off: 'no credits for sale',
};

/** Lists settings that are probably unintended, one line each, with what to set instead. */
export function listCallerWarnings(config: CallerConfig): string[] {
  const { host, metering, payments, exposure, trustProxy } = config;
  const isUnmetered = metering ? createNetworkMatcher(config.unmeteredNetworks) : () => true;
  const isPublic = exposure.publicUrls.some((url) => !isLoopback(new URL(url).hostname));
  const warnings: string[] = [];
  if (payments === 'sandbox' && exposure.audience !== 'machine')
    warnings.push(
      'PAYMENTS: the built-in sandbox gives credits to anyone; set STRIPE_SECRET_KEY to sell them, or PAYMENTS=off',
    );
  if (metering && payments === 'off' && !config.isPaymentsSet && exposure.publicUrls.length === 0)
    warnings.push(
      `PAYMENTS: is off, because HOST ${host} is open to other machines and BASE_URL is not set, and the sandbox would give credits to anyone who reaches it. Set PAYMENTS=off to confirm, BASE_URL=http://localhost:8080 if only this machine reaches the port, or STRIPE_SECRET_KEY to sell credits`,
    );
  if (!isLoopback(host) && trustProxy === 0 && isUnmetered(ANYBODY))
    warnings.push(
      `HOST: ${host} is open to other machines, and nobody is metered: anyone who reaches it may use it without limits. Set METERING=on, or put a proxy in front that decides who may call (TRUST_PROXY)`,
    );
  if (metering && isPublic && trustProxy === 0 && isUnmetered(THIS_MACHINE))
    warnings.push(
      'UNMETERED_NETWORKS: contains this machine, so everyone who comes through a proxy on it is not metered; set TRUST_PROXY to the number of proxies',
    );
  return warnings;
}

/** An address reserved for documentation (RFC 5737), which stands for any caller. */
const ANYBODY = '203.0.113.1';
const THIS_MACHINE = '127.0.0.1';
