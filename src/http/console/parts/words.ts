import { type Html, html } from '../../site/html.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Renders an instant in UTC, to the minute. */
export function renderTime(at: number | null): Html | string {
  if (at === null) return '–';
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time>`;
}

/** `42 s`, `17 min`, `5 h`, `12 d`. */
export function formatDuration(ms: number): string {
  const [unitMs, unit] =
    ms < 2 * MINUTE_MS
      ? [SECOND_MS, 's']
      : ms < 2 * HOUR_MS
        ? [MINUTE_MS, 'min']
        : ms < 2 * DAY_MS
          ? [HOUR_MS, 'h']
          : [DAY_MS, 'd'];
  return `${Math.max(0, Math.round(ms / unitMs))} ${unit}`;
}

/** `1 page`, `1,200 pages`. */
export function formatCount(number: number, one: string, several = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : several}`;
}

/** Formats bytes as kilobytes or megabytes. */
export function formatBytes(bytes: number): string {
  const [divisor, unit] = bytes < 1e6 ? [1e3, 'kB'] : [1e6, 'MB'];
  const shown = bytes / divisor;
  return `${shown.toLocaleString('en', { maximumFractionDigits: shown < 100 ? 1 : 0 })} ${unit}`;
}

/** Formats milliseconds; a dash if unknown. */
export function formatMilliseconds(ms: number | null): string {
  return ms === null ? '–' : `${Math.round(ms).toLocaleString('en')} ms`;
}

/** Formats a share from 0 to 1 as a percentage; a dash if unknown. */
export function formatPercent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(share > 0.99 && share < 1 ? 1 : 0)} %`;
}
