import type { Clock } from '../../../src/platform/clock.ts';
import { StripeFailure } from './failure.ts';

export type Answer = { status: number; body: object };

/** Answers by idempotency key: the same request gets the same answer for a day, failures included. */
export type IdempotencyKeys = {
  /** The answer that was given before, or null when the key is now taken for this request. Throws when it cannot be used. */
  take(key: string, fingerprint: string): Answer | null;
  keep(key: string, answer: Answer): void;
};

const KEPT_MS = 86_400_000;
const KEY_CHARS_MAX = 255;

export function createIdempotencyKeys(clock: Clock): IdempotencyKeys {
  const known = new Map<string, { fingerprint: string; at: number; answer: Answer | null }>();
  return {
    take(key, fingerprint) {
      if (key.length > KEY_CHARS_MAX)
        throw new StripeFailure(400, { type: 'idempotency_error', message: 'The key is too long.' });
      const before = known.get(key);
      if (before === undefined || before.at + KEPT_MS <= clock.now()) {
        known.set(key, { fingerprint, at: clock.now(), answer: null });
        return null;
      }
      if (before.fingerprint !== fingerprint)
        throw new StripeFailure(400, {
          type: 'idempotency_error',
          message: `Keys for idempotent requests can only be used with the same parameters they were first used with (${key}).`,
        });
      if (before.answer === null)
        throw new StripeFailure(409, {
          type: 'invalid_request_error',
          code: 'idempotency_key_in_use',
          message: `There is currently another in-progress request using this key (${key}).`,
        });
      return before.answer;
    },
    keep(key, answer) {
      const taken = known.get(key);
      if (taken !== undefined) taken.answer = structuredClone(answer);
    },
  };
}
