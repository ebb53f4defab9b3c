/** The API shapes: which paths each one owns and how it words failures there. */
import type { z } from 'zod';
import { type ErrorFormat, firstShapeFormat } from './calls/error-format.ts';
import { COMPAT_SHAPES } from './compat/compat-shapes.ts';
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
  ...COMPAT_SHAPES.flatMap(({ prefixes, errors }) =>
    errors === null
      ? []
      : prefixes.map((prefix) => ({ prefix, format: errors.format, failureBody: () => errors.body })),
  ),
];

/** Returns the shape that owns a normalised path; a query string may follow it. */
export function findShape(target: string): Shape {
  const path = target.split('?')[0] ?? '';
  return SHAPES.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`)) ?? FIRST_SHAPE;
}
