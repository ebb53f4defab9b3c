import { readFileSync } from 'node:fs';
import type { Terms } from '../../calls/terms.ts';
import { type Asset, createAsset } from '../assets.ts';
import { deriveBrandColours } from './brand-colours.ts';

/** How an operator's site looks. */
export type Branding = {
  /** The name on every page. */
  name: string;
  /** `#rrggbb` of links and buttons; null: ours. */
  colour: string | null;
  /** A picture for the header and the browser's tab; null: ours. */
  logo: { type: string; content: Buffer } | null;
  /** The operator's own pages by name, as Markdown. */
  pages: ReadonlyMap<string, string>;
};

/** The pages that an operator can write, in the order of the footer. Without one of theirs, /privacy shows ours. */
export const OPERATOR_PAGES: readonly { name: string; title: string }[] = [
  { name: 'terms', title: 'Terms' },
  { name: 'privacy', title: 'Privacy' },
  { name: 'refunds', title: 'Refunds' },
  { name: 'contact', title: 'Contact' },
];

/** What every page shows: the brand, and what the service offers. */
export type Website = {
  name: string;
  style: Asset;
  icon: Asset;
  /** The operator's own pages by name, as Markdown. */
  operatorPages: ReadonlyMap<string, string>;
  /** Null: no keys or prices, and no pages about them. */
  terms: Terms | null;
};

/** The parts of the style sheet, in their order; a folder of pages has a part of its own. */
const STYLES = ['tokens', 'base', 'shell', 'parts', 'account', 'docs', 'results', 'console'];
/** The colours of the icon, in light and dark. */
const ICON_COLOURS = { light: '#0b6470', dark: '#6fd0d6' };

/** The site of a server. */
export function createWebsite(look: Branding, terms: Terms | null): Website {
  const colours = look.colour === null ? null : deriveBrandColours(look.colour);
  const sheets = STYLES.map((name) => readSiteFile(`../style/${name}.css`));
  const content = [...sheets, ...(colours === null ? [] : [formatAccentRules(colours)])].join('\n');
  return {
    name: look.name,
    style: createAsset('/site.css', { type: 'text/css; charset=utf-8', content }),
    icon: look.logo === null ? createIcon(colours ?? ICON_COLOURS) : createAsset('/logo', look.logo),
    operatorPages: look.pages,
    terms,
  };
}

function formatAccentRules({ light, dark }: { light: string; dark: string }): string {
  return `:root{--accent:${light}}@media(prefers-color-scheme:dark){:root{--accent:${dark}}}`;
}

function createIcon({ light, dark }: { light: string; dark: string }): Asset {
  const content = readSiteFile('../favicon.svg')
    .replaceAll(ICON_COLOURS.light, light)
    .replaceAll(ICON_COLOURS.dark, dark);
  return createAsset('/favicon.svg', { type: 'image/svg+xml', content });
}

function readSiteFile(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}
