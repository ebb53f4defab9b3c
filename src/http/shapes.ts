/** The API shapes: which paths each one owns and how it words failures there. */
import type { z } from 'zod';
import { type ErrorFormat, firstShapeFormat } from './calls/error-format.ts';
import {
  BraveFailureBody,
  braveFormat,
  LinkupFailureBody,
  linkupFormat,
  PerplexityFailureBody,
  PlainFailureBody,
  perplexityFormat,
  plainFormat,
} from './drop-in/nested-formats.ts';
import { FirecrawlFailureBody, firecrawlFormat } from './firecrawl/error-format.ts';
import { protocolErrorFormat } from './mcp/message.ts';
import { FailureBody, PaymentRequiredBody, SecondShapeFailureBody } from './openapi/answers.ts';
import { secondShapeFormat } from './shape-b/error-format.ts';

/** One API shape. */
type Shape = {
  /** Owns this path and everything below it; the first matching shape wins. */
  prefix: string;
  format: ErrorFormat;
  /** The schema of a failure's body, for the OpenAPI document. */
  failureBody(status: number): z.ZodType;
};

const PLAIN = { format: plainFormat, failureBody: () => PlainFailureBody };

/** Owns every path that no other shape owns. */
const FIRST_SHAPE: Shape = {
  prefix: '',
  format: firstShapeFormat,
  failureBody: (status) => (status === 402 ? PaymentRequiredBody : FailureBody),
};

const SHAPES: readonly Shape[] = [
  // Cohere's path; Firecrawl owns the rest of /v2.
  { ...FIRST_SHAPE, prefix: '/v2/rerank' },
  { prefix: '/mcp', format: protocolErrorFormat, failureBody: () => FailureBody },
  { prefix: '/shapeB', format: secondShapeFormat, failureBody: () => SecondShapeFailureBody },
  ...['/v2', '/firecrawl'].map((prefix) => ({
    prefix,
    format: firecrawlFormat,
    failureBody: () => FirecrawlFailureBody,
  })),
  { prefix: '/searxng', ...PLAIN },
  { prefix: '/openwebui', ...PLAIN },
  { prefix: '/pplx', format: perplexityFormat, failureBody: () => PerplexityFailureBody },
  { prefix: '/linkup', format: linkupFormat, failureBody: () => LinkupFailureBody },
  { prefix: '/res', format: braveFormat, failureBody: () => BraveFailureBody },
];

/** Returns the shape that owns a normalised path; a query string may follow it. */
export function findShape(target: string): Shape {
  const path = target.split('?')[0] ?? '';
  return SHAPES.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`)) ?? FIRST_SHAPE;
}
