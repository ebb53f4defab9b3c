import type { KeyTerms } from './key-limits.ts';

/** Formats terms as `at most 60 calls a minute and 1,000 a day, until 2026-12-31T00:00:00Z`; `no limits` without terms. */
export function formatKeyTerms({ perMinute, perDay, expiresAt }: KeyTerms): string {
  const counts = [
    ...(perMinute === null ? [] : [{ most: perMinute, span: 'minute' }]),
    ...(perDay === null ? [] : [{ most: perDay, span: 'day' }]),
  ].map(({ most, span }, place) => {
    const calls = most === 1 ? ' call' : ' calls';
    return `${most.toLocaleString('en')}${place === 0 ? calls : ''} a ${span}`;
  });
  const parts = [
    ...(counts.length === 0 ? [] : [`at most ${counts.join(' and ')}`]),
    ...(expiresAt === null ? [] : [`until ${new Date(expiresAt).toISOString().replace(/\.\d+/, '')}`]),
  ];
  return parts.length === 0 ? 'no limits' : parts.join(', ');
}
