import { readFileSync } from 'node:fs';
import type { Terms } from '../../calls/operation.ts';
import { type Asset, createAsset } from '../assets.ts';
import { deriveBrandColours } from './brand-colours.ts';

/** The branding of an operator's site. */
export type Branding = {
  /** The name on every page. */
  name: string;
  /** Colour of links and buttons as `#rrggbb`; null for the default. */
  colour: string | null;
  /** Picture for the header and the browser's tab; null for the default. */
  logo: { type: string; content: Buffer } | null;
  /** The operator's own pages by name, as Markdown. */
  pages: ReadonlyMap<string, string>;
};

/** The pages that an operator can write, in the order of the footer. By default /privacy shows the project's own text. */
export const OPERATOR_PAGES: readonly { name: string; title: string }[] = [
  { name: 'terms', title: 'Terms' },
  { name: 'privacy', title: 'Privacy' },
  { name: 'refunds', title: 'Refunds' },
  { name: 'contact', title: 'Contact' },
];

/** The parts of the site that every page shows: the branding, and the terms of the service. */
export type Website = {
  name: string;
  style: Asset;
  icon: Asset;
  /** The operator's own pages by name, as Markdown. */
  operatorPages: ReadonlyMap<string, string>;
  /** Null if there are no keys or prices, and so no pages about them. */
  terms: Terms | null;
};

/** The parts of the style sheet in order. */
const STYLES = ['tokens', 'base', 'shell', 'parts', 'account', 'docs', 'results', 'console'];
/** The colours of the default icon in the light and the dark colour scheme. */
const ICON_COLOURS = { light: '#0b6470', dark: '#6fd0d6' };

/** Creates the site of a server from its branding and terms. */
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
