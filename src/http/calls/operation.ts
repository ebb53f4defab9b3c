import type { z } from 'zod';
import type { FailureCode } from '../../contract/errors.ts';
import type { JsonObject } from './call.ts';

/** A parameter of the path, the query or the headers. */
export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: true;
  about: string;
  schema: z.ZodType;
};

/** Describes what an operation does and, where calls are metered, its cost. */
export function describeOperation({ about, price }: Operation, terms: Terms | null): string {
  return terms === null || price === undefined ? about : `${about} ${price}`;
}

/** One operation of the OpenAPI document; its request schema is the one that validates requests. */
export type Operation = {
  id: string;
  /** Overrides the route's own path. */
  path?: string;
  tag: 'search' | 'pages' | 'research' | 'account' | 'second shape' | 'drop-in' | 'operator';
  summary: string;
  about: string;
  /** The cost of a call; left out where nothing is metered. */
  price?: string;
  parameters?: Parameter[];
  /** Absent when the operation reads no body. */
  body?: z.ZodType;
  /** Another body of the same path, with fields of its own. */
  otherBody?: { name: string; body: z.ZodType };
  /** Spelling of the body's fields in the contract; absent: camelCase. The other spelling is accepted too. */
  spelling?: 'snake_case';
  /** The schema of a 200, its content type when it is not JSON, or a redirect (303). */
  answer:
    | z.ZodType
    | 'text/markdown'
    | 'text/plain'
    | 'application/atom+xml'
    | 'application/feed+json'
    | 'application/x-tar'
    | 'redirect';
  /** The schema of its 200 in the shape of another service, if the body asks for that. */
  otherAnswer?: z.ZodType;
  /** Success headers specific to this operation: OpenAPI header objects by name. */
  headers?: Readonly<Record<string, JsonObject>>;
  /** Other content types of a 200 that a request can ask for. */
  otherTypes?: readonly string[];
  /** The schema of its 200 for callers that accept only JSON, if `answer` is text. */
  json?: z.ZodType;
  errors: FailureCode[];
  /** Served under any load. */
  isProbe?: true;
  /** A body (or the path of a GET) that works unedited. */
  example?: Example;
};

type Example = { path?: string; body?: Record<string, unknown> };

/** Terms of service where calls are metered. */
export type Terms = {
  /** Keyless requests per address and UTC day; 0: a key is required. */
  keylessPerDay: number;
  /** Anybody may claim a free key. */
  freeKeys: boolean;
  /** Packs of credits are for sale. */
  sells: boolean;
};
