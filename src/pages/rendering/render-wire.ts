import * as z from 'zod';

/** The paths on which the rendering process answers the service. */
export const RENDER_PATH = '/render';
export const RENDER_HEALTH_PATH = '/healthz';

/** Bounds that the rendering process enforces on every order. */
export const RENDER_LIMITS = {
  timeoutMs: { min: 500, max: 30_000 },
  waitMsMax: 10_000,
  selectorCharsMax: 1_000,
  screenshotBytesMax: 4_194_304,
} as const;

const { timeoutMs, waitMsMax, selectorCharsMax } = RENDER_LIMITS;

/** One page to render. No field is a script, a flag or a proxy. */
export const RenderOrder = z.strictObject({
  url: z.string().max(8_192),
  /** Time limit for the whole order, including the wait for a turn. */
  timeoutMs: z.number().int().min(timeoutMs.min).max(timeoutMs.max),
  /** Milliseconds to wait once the page has settled. */
  waitMs: z.number().int().min(0).max(waitMsMax).optional(),
  /** A CSS selector that must match before the page is taken. */
  waitForSelector: z.string().min(1).max(selectorCharsMax).optional(),
  screenshot: z.enum(['viewport', 'page']).optional(),
});
export type RenderOrder = z.output<typeof RenderOrder>;

const headers = z.record(z.string(), z.string());

/** A page after its scripts. */
export const RenderedPage = z.object({
  /** Its final address, with its fragment. */
  url: z.string(),
  /** Status and headers of the last document. */
  status: z.number().int(),
  headers,
  /** The documents that redirected to it, in order. */
  redirects: z.array(z.object({ url: z.string(), headers })),
  html: z.string(),
  /** A PNG in base64. */
  screenshot: z.string().nullable(),
});
export type RenderedPage = z.output<typeof RenderedPage>;

/** Why a page was not rendered. `reason` is a `FetchReason`; null for an address that may not be read. */
export const RenderProblem = z.object({
  error: z.object({
    code: z.string(),
    reason: z.string().nullable(),
    message: z.string(),
    httpStatus: z.number().int().nullable().optional(),
  }),
});

export const RenderHealth = z.object({
  ok: z.literal(true),
  browser: z.string(),
  sandbox: z.boolean(),
  running: z.number(),
  waiting: z.number(),
  pages: z.number(),
  restarts: z.number(),
  memoryMb: z.number(),
});
