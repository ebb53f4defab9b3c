import type { CardBehaviour } from '../fixtures/stripe/objects.ts';
import type { Answered } from '../harness.ts';
import type { SpecFixture } from './spec-fixture.ts';

/**
 * One sentence of the specification as one request and its expected response.
 * `{site}`, `{other}`, `{base_url}`, `{key}`, `{ip}` and `{net}` in any text are replaced by the fixture's values.
 */
export type Case = {
  id: string;
  /** The behaviour that the sentence promises. */
  holds: string;
  /**
   * `key`: a fresh key as `x-api-key` (default); `placed`: a fresh key where the case writes `{key}`; `keyless`: none;
   * `owner`: a key of 15,000 credits bought with a card through a buy link.
   */
  as?: 'key' | 'placed' | 'keyless' | 'owner';
  /** Credits on the fresh key; 10 unless told. */
  credits?: number;
  /** Of an owner: the query of the buy link, and how the card takes later charges. */
  link?: string;
  card?: CardBehaviour;
  /** Requests that come first; their responses are not judged. */
  before?: readonly Sent[];
  send: Sent;
  expect: Expectation;
};

export type Sent = {
  /** POST where there is a body, else GET. */
  method?: string;
  path: string;
  /** Text and bytes are sent as they are, everything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The caller's address; `{ip}` unless told. */
  from?: string;
  /** Instant to which the clock is set first. */
  at?: string;
  /** How often it is sent, one after the other; once unless told. */
  times?: number;
  /** An address that must be in the local index before it goes on; indexing goes on behind the response. */
  indexed?: string;
};

export type Expectation = {
  status: number;
  /** Credits that the key has lost in the end; 0 unless told. */
  charged?: number;
  /** Free requests of today that the address has used in the end; 1 for a billable route unless told. */
  counted?: number;
  /** `error`, or the first word of `detail.error`. */
  code?: string;
  /** The field that a 422 names. */
  field?: string;
  /** What `message`, or `detail.error`, must contain. */
  message?: RegExp;
  /** Values by their path in the JSON: `results.0.url`; `results.*.url` means each, and at least one. */
  is?: Readonly<Record<string, Expected>>;
  headers?: Readonly<Record<string, Expected>>;
  /** What the body must contain as text. */
  text?: RegExp;
  /** What must hold between parts of the response, or between it and those before it; throws when it does not. */
  check?: (answer: Answered, before: readonly Answered[], fixture: SpecFixture) => void;
};

/** A value that must be equal, a pattern that a text must match, or a named condition. */
export type Expected = Check | RegExp | string | number | boolean | null | readonly unknown[] | object;

export type Check = { readonly named: string; readonly holds: (value: unknown) => boolean };

const check = (named: string, holds: (value: unknown) => boolean): Check => ({ named, holds });

/** The field is not there at all, not even as null. */
export const absent = check('absent', (value) => value === undefined || value === null);
export const missing = check('missing', (value) => value === undefined);
export const someText = check(
  'a text that is not empty',
  (value) => typeof value === 'string' && value !== '',
);
export const anyText = check('a text', (value) => typeof value === 'string');
export const aNumber = check('a finite number', (value) => Number.isFinite(value));
export const anInteger = check('an integer', (value) => Number.isInteger(value));
export const anObject = check('an object', (value) => typeof value === 'object' && value !== null);
export const aList = check('an array', Array.isArray);
export const aDayOrNull = check('YYYY-MM-DD or null', (value) =>
  value === null ? true : typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value),
);
export const textOrNull = check('a text or null', (value) => value === null || typeof value === 'string');

export const between = (min: number, max: number): Check =>
  check(`from ${min} to ${max}`, (value) => typeof value === 'number' && value >= min && value <= max);

/** A text of so many characters. */
export const charsFrom = (min: number, max: number): Check =>
  check(`a text of ${min} to ${max} characters`, (value) =>
    typeof value === 'string' ? value.length >= min && value.length <= max : false,
  );

export const containing = (part: string): Check =>
  check(`containing ${JSON.stringify(part)}`, (value) => typeof value === 'string' && value.includes(part));

/** 200 of an operation that costs `charged` credits. */
export const served = (charged: number, more: Omit<Expectation, 'status' | 'charged'> = {}): Expectation => ({
  status: 200,
  charged,
  ...more,
});

/** 422 that names the field; nothing is charged. */
export const refused = (field: string, more: Omit<Expectation, 'status' | 'field'> = {}): Expectation => ({
  status: 422,
  code: 'validation_error',
  field,
  ...more,
});

export const failing = (status: number, code: string, more: Partial<Expectation> = {}): Expectation => ({
  status,
  code,
  ...more,
});

/** Rows about one POST route: id, behaviour, body, expectation. */
export const posting =
  (path: string, common: Partial<Case> = {}) =>
  (id: string, holds: string, body: unknown, expect: Expectation): Case => ({
    ...common,
    id,
    holds,
    send: { ...common.send, method: 'POST', path, body },
    expect,
  });

/** Rows about any route: id, behaviour, request, expectation. */
export const sending =
  (common: Partial<Case> = {}) =>
  (id: string, holds: string, send: Sent, expect: Expectation): Case => ({
    ...common,
    id,
    holds,
    send,
    expect,
  });

/** The same sentence for each of some values; the ids are numbered. */
export const each = <T>(values: readonly T[], row: (value: T, number: number) => Case): Case[] =>
  values.map((value, place) => row(value, place + 1));
