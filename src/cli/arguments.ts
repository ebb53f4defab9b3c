import { InvalidArgumentError } from 'commander';
import ipaddr from 'ipaddr.js';

/** Creates a parser for an option that is a whole number of at least `min` and, if given, at most `max`. */
export function createWholeNumberParser(
  min: number,
  max = Number.POSITIVE_INFINITY,
): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    const range = Number.isFinite(max) ? ` from ${min} to ${max}` : `, ${min} or more`;
    throw new InvalidArgumentError(`It must be a whole number${range}.`);
  };
}

/** `example.org/docs` -> `https://example.org/docs`; http for localhost and IP addresses, which rarely have a certificate. */
export function toWebAddress(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  const host = URL.parse(`http://${text}`)?.hostname ?? '';
  const isLocal = host === 'localhost' || ipaddr.isValid(host.replace(/^\[|\]$/g, ''));
  return `${isLocal ? 'http' : 'https'}://${text}`;
}
