import type { z } from 'zod';
import type { FailureCode } from '../../contract/errors.ts';

/** A parameter of the path, the query or the headers. */
export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: true;
  about: string;
  schema: z.ZodType;
};

/** What the interface description says of one operation; its request and answer schemas are those that validate. */
export type Operation = {
  id: string;
  /** Where the route's own path does not say it. */
  path?: string;
  tag: 'search' | 'pages' | 'research' | 'account' | 'second shape' | 'operator';
  summary: string;
  about: string;
  parameters?: Parameter[];
  /** Absent: no body is read. */
  body?: z.ZodType;
  /** The JSON of a 200, or the content type of one that is no JSON. */
  answer: z.ZodType | 'text/markdown' | 'text/plain';
  errors: FailureCode[];
  /** A body (or the path of a GET) that works as it stands; `{base_url}` stands for the service. */
  example?: Example;
};

type Example = { path?: string; body?: Record<string, unknown> };
