import * as z from 'zod';

/** How the web pages look. */
export type BrandingConfig = {
  /** The name on every page. */
  readonly brandName: string;
  /** `#rrggbb`; null: ours. */
  readonly brandColour: string | null;
  /** A picture file; null: ours. */
  readonly brandLogo: string | null;
  /** A folder with pages of the operator's own; null: none. */
  readonly siteDir: string | null;
};

const NAME_CHARS_MAX = 40;

/** The settings of the web pages' look. */
export const BRANDING_SETTINGS = {
  BRAND_NAME: z
    .string()
    .trim()
    .max(NAME_CHARS_MAX, `must have at most ${NAME_CHARS_MAX} characters`)
    .default('Sanderling'),
  BRAND_COLOR: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #0b6470')
    .optional(),
  BRAND_LOGO: z.string().optional(),
  SITE_DIR: z.string().optional(),
};

/** Settings -> how the pages look. */
export function readBrandingConfig(settings: {
  BRAND_NAME: string;
  BRAND_COLOR?: string | undefined;
  BRAND_LOGO?: string | undefined;
  SITE_DIR?: string | undefined;
}): BrandingConfig {
  const { BRAND_NAME, BRAND_COLOR = null, BRAND_LOGO = null, SITE_DIR = null } = settings;
  return { brandName: BRAND_NAME, brandColour: BRAND_COLOR, brandLogo: BRAND_LOGO, siteDir: SITE_DIR };
}
