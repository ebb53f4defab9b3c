import { readFileSync } from 'node:fs';
import { registrableDomain } from '../../text/urls/sites.ts';
import type { HostSignals } from './host-types.ts';

/** Sums over the pages of a host. */
export type HostCounts = { pages: number; thin: number; copied: number; links: number; words: number };

type SignalRules = {
  /** A signal has no weight up to `from` and its full weight from `to` on. */
  signals: Record<keyof HostSignals, { from: number; to: number; weight: number }>;
  /** A host whose signals sum to less than this is not damped. */
  least: number;
  /** Faultless pages added to each host's count, because few pages prove little. */
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

/** Returns whether a page has too little text to be worth finding. */
export const isThin = (chars: number): boolean => chars < rules.thinChars;

/** Pure: computes the signals that a host adds little, from its name and its pages. */
export function computeSignals(host: string, { pages, thin, copied, links, words }: HostCounts): HostSignals {
  const computeShare = (part: number): number => round(part / (pages + rules.pagesUncertain));
  return {
    copied: computeShare(copied),
    thin: computeShare(thin),
    linksPerWord: round(words === 0 ? 0 : (links / words) * (pages / (pages + rules.pagesUncertain))),
    madeName: scoreMadeName(host),
  };
}

/** Pure: computes the damping of a host, from 0 to 1. */
export function computeDamping(signals: HostSignals): number {
  const sum = Object.entries(rules.signals).reduce((total, [name, { from, to, weight }]) => {
    const value = signals[name as keyof HostSignals];
    return total + weight * Math.min(1, Math.max(0, (value - from) / (to - from)));
  }, 0);
  return sum < rules.least ? 0 : round(Math.min(1, sum));
}

/** Scores how machine-generated the name of a host looks, from 0 to 1. */
function scoreMadeName(host: string): number {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const domain = registrableDomain(name);
  // IP addresses and intranet names are exempt; names in other scripts look generated in their encoding.
  if (domain === null || name.includes('xn--')) return 0;
  const suffix = domain.slice(domain.indexOf('.'));
  const labels = name.slice(0, -suffix.length);
  const points = nameRules.reduce(
    (sum, { pattern, atLeast, points: given }) =>
      sum + ((labels.match(pattern)?.length ?? 0) >= atLeast ? given : 0),
    0,
  );
  return round(Math.min(1, points));
}

const round = (value: number): number => Math.round(value * ROUNDING) / ROUNDING;
