import { readFileSync } from 'node:fs';
import { registrableDomain } from '../../text/urls/sites.ts';
import type { HostSignals } from './host-types.ts';

/** What is counted of the pages of a host. */
export type HostCounts = { pages: number; thin: number; copied: number; links: number; words: number };

type SignalRules = {
  /** A signal counts nothing up to `from` and its whole weight from `to` on. */
  signals: Record<keyof HostSignals, { from: number; to: number; weight: number }>;
  /** A host whose signals sum up to less is not damped. */
  least: number;
  /** So many pages without a fault are added to each host, because few pages prove little. */
  pagesUncertain: number;
  thinChars: number;
  names: Record<string, { pattern: string; atLeast: number; points: number }>;
};

const rules: SignalRules = JSON.parse(readFileSync(new URL('./signals.json', import.meta.url), 'utf8'));
const nameRules = Object.values(rules.names).map(({ pattern, ...rule }) => ({
  ...rule,
  pattern: new RegExp(pattern, 'g'),
}));
const ROUNDING = 1_000;

/** Whether a page says too little to be worth finding. */
export const isThin = (chars: number): boolean => chars < rules.thinChars;

/** Pure: what tells a host that adds little, from its name and its pages. */
export function signalsOf(host: string, { pages, thin, copied, links, words }: HostCounts): HostSignals {
  const share = (part: number): number => rounded(part / (pages + rules.pagesUncertain));
  return {
    copied: share(copied),
    thin: share(thin),
    linksPerWord: rounded(words === 0 ? 0 : (links / words) * (pages / (pages + rules.pagesUncertain))),
    madeName: madeName(host),
  };
}

/** Pure: how far a host is damped, from 0 to 1. */
export function dampingOf(signals: HostSignals): number {
  const sum = Object.entries(rules.signals).reduce((total, [name, { from, to, weight }]) => {
    const value = signals[name as keyof HostSignals];
    return total + weight * Math.min(1, Math.max(0, (value - from) / (to - from)));
  }, 0);
  return sum < rules.least ? 0 : rounded(Math.min(1, sum));
}

/** How much the name of a host looks as if a machine had made it, from 0 to 1. */
function madeName(host: string): number {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const domain = registrableDomain(name);
  // IP addresses and names of an intranet are what they are; names in other scripts look made in their encoding.
  if (domain === null || name.includes('xn--')) return 0;
  const suffix = domain.slice(domain.indexOf('.'));
  const labels = name.slice(0, -suffix.length);
  const points = nameRules.reduce(
    (sum, { pattern, atLeast, points: given }) =>
      sum + ((labels.match(pattern)?.length ?? 0) >= atLeast ? given : 0),
    0,
  );
  return rounded(Math.min(1, points));
}

const rounded = (value: number): number => Math.round(value * ROUNDING) / ROUNDING;
