import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type Branding, OPERATOR_PAGES } from '../http/site/shell/site.ts';
import type { BrandingConfig } from './config.ts';
import { ConfigError } from './config.ts';

/** Maximum bytes of the logo, which every visitor loads. */
const LOGO_BYTES_MAX = 65_536;
/** Image types that browsers show in the header and in a tab. */
const LOGO_TYPES: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** Reads the logo and the operator's pages once; changes take effect at the next start. Throws ConfigError if one cannot be used. */
export function readBranding({ brandName, brandColour, brandLogo, siteDir }: BrandingConfig): Branding {
  return {
    name: brandName,
    colour: brandColour,
    logo: brandLogo === null ? null : readLogo(brandLogo),
    pages: siteDir === null ? new Map() : readPages(siteDir),
  };
}

/** Maximum bytes of a page; far more than the longest terms of service. */
const PAGE_BYTES_MAX = 262_144;

/** Reads the pages in the folder, such as `terms.md`. */
function readPages(folder: string): Branding['pages'] {
  if (!existsSync(folder)) throw new ConfigError(`SITE_DIR: there is no folder ${folder}`);
  const found = OPERATOR_PAGES.map(({ name }) => ({ name, path: join(folder, `${name}.md`) }));
  return new Map(
    found
      .filter(({ path }) => existsSync(path))
      .map(({ name, path }): [string, string] => {
        const content = readFileSync(path);
        if (content.length > PAGE_BYTES_MAX)
          throw new ConfigError(`SITE_DIR: ${path} is larger than ${PAGE_BYTES_MAX / 1_024} KB`);
        return [name, content.toString('utf8').replace(/\r\n?/g, '\n')];
      }),
  );
}

/** Reads the logo. Its type is taken from its extension, because the file is the operator's own. */
function readLogo(path: string): Branding['logo'] {
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
