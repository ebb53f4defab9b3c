import type { z } from 'zod';
import { type ErrorFormat, firstShape } from './calls/error-format.ts';
import {
  BraveFailureBody,
  braveFormat,
  LinkupFailureBody,
  linkupFormat,
  PerplexityFailureBody,
  perplexityFormat,
} from './drop-in/nested-formats.ts';
import { PlainFailureBody, plainFormat } from './drop-in/plain-format.ts';
import { FirecrawlFailureBody, firecrawlFormat } from './firecrawl/error-format.ts';
import { protocolErrorFormat } from './mcp/message.ts';
import { FailureBody, PaymentRequiredBody, SecondShapeFailureBody } from './openapi/answers.ts';
import { secondShape } from './shape-b/error-format.ts';

/** One API shape: the paths that it owns, and how it words failures there. */
type Shape = {
  /** Owns this path and all below it; the shape that comes first wins. */
  prefix: string;
  format: ErrorFormat;
  /** The schema of a failure's body, for the OpenAPI document. */
  failureBody(status: number): z.ZodType;
};

const PLAIN = { format: plainFormat, failureBody: () => PlainFailureBody };

/** Every path that no other shape owns. */
const FIRST_SHAPE: Shape = {
  prefix: '',
  format: firstShape,
  failureBody: (status) => (status === 402 ? PaymentRequiredBody : FailureBody),
};

const SHAPES: readonly Shape[] = [
  // Cohere's, which shares its version with another service.
  { ...FIRST_SHAPE, prefix: '/v2/rerank' },
  { prefix: '/mcp', format: protocolErrorFormat, failureBody: () => FailureBody },
  { prefix: '/shapeB', format: secondShape, failureBody: () => SecondShapeFailureBody },
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

/** The shape that owns a normalised path; a query string may follow it. */
export function shapeOf(target: string): Shape {
  const path = target.split('?')[0] ?? '';
  return SHAPES.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`)) ?? FIRST_SHAPE;
}
