import * as z from 'zod';

/** Where pages are rendered, and how the process that renders them runs. */
export type RenderConfig = {
  /** Null: no page is rendered. */
  readonly rendering: { readonly url: string; readonly token: string } | null;
  /** Of `sanderling render`. */
  readonly renderProcess: {
    readonly host: string;
    readonly port: number;
    /** What its clients must send; null: it does not start. */
    readonly token: string | null;
    /** Path of a Chromium; null: where Debian puts it. */
    readonly chromium: string | null;
    readonly sandbox: boolean;
    /** Whom the process becomes when root starts it. */
    readonly user: string;
  };
};

export const RENDER_SETTINGS = {
  RENDER_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) address such as http://127.0.0.1:8090' })
    .optional(),
  RENDER_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  RENDER_HOST: z.string().default('127.0.0.1'),
  RENDER_PORT: z.coerce.number('must be a port number').int().min(0).max(65_535).default(8090),
  RENDER_CHROMIUM: z.string().optional(),
  RENDER_SANDBOX: z.enum(['on', 'off'], 'must be on or off').default('on'),
  RENDER_USER: z.string().default('nobody'),
};

type Settings = z.output<z.ZodObject<typeof RENDER_SETTINGS>>;

/** Why the settings cannot be used together; null: they can. */
export function findRenderProblem({ RENDER_URL, RENDER_TOKEN }: Settings): string | null {
  return RENDER_URL !== undefined && RENDER_TOKEN === undefined
    ? 'RENDER_TOKEN: is missing, although RENDER_URL is set: give both processes the same secret'
    : null;
}

/** Pure: the settings as both processes use them. */
export function readRenderConfig(settings: Settings): RenderConfig {
  const { RENDER_URL: url, RENDER_TOKEN: token } = settings;
  return {
    rendering:
      url === undefined || token === undefined ? null : { url: url.replace(/(?<!\/)\/+$/, ''), token },
    renderProcess: Object.freeze({
      host: settings.RENDER_HOST,
      port: settings.RENDER_PORT,
      token: token ?? null,
      chromium: settings.RENDER_CHROMIUM ?? null,
      sandbox: settings.RENDER_SANDBOX === 'on',
      user: settings.RENDER_USER,
    }),
  };
}
