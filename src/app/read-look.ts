import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Look } from '../http/site/shell/site.ts';
import { ConfigError } from './config.ts';
import type { LookConfig } from './look-settings.ts';

/** Every visitor loads it. */
const LOGO_BYTES_MAX = 65_536;
/** What browsers show in the header and in a tab. */
const LOGO_TYPES: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** Reads the logo. Throws ConfigError if it cannot be used. */
export function readLook({ brandName, brandColour, brandLogo }: LookConfig): Look {
  return { name: brandName, colour: brandColour, logo: brandLogo === null ? null : logoIn(brandLogo) };
}

/** By its extension: the file is the operator's own. */
function logoIn(path: string): Look['logo'] {
  const type = LOGO_TYPES[extname(path).toLowerCase()];
  if (type === undefined) throw new ConfigError('BRAND_LOGO: must be an SVG, PNG or WebP file');
  try {
    const content = readFileSync(path);
    if (content.length <= LOGO_BYTES_MAX) return { type, content };
  } catch (cause) {
    throw new ConfigError(`BRAND_LOGO: ${path} cannot be read`, { cause });
  }
  throw new ConfigError(`BRAND_LOGO: ${path} is larger than ${LOGO_BYTES_MAX / 1_024} KB`);
}
