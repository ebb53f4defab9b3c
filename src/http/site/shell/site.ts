import { readFileSync } from 'node:fs';
import type { Terms } from '../../calls/terms.ts';
import { type Asset, assetOf } from '../assets.ts';
import { brandColours } from './brand-colours.ts';

/** How an operator's site looks. */
export type Look = {
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
export function siteOf(look: Look, terms: Terms | null): Website {
  const colours = look.colour === null ? null : brandColours(look.colour);
  const sheets = STYLES.map((name) => textOf(`../style/${name}.css`));
  const content = [...sheets, ...(colours === null ? [] : [accentRules(colours)])].join('\n');
  return {
    name: look.name,
    style: assetOf('/site.css', { type: 'text/css; charset=utf-8', content }),
    icon: look.logo === null ? ownIcon(colours ?? ICON_COLOURS) : assetOf('/logo', look.logo),
    operatorPages: look.pages,
    terms,
  };
}

function accentRules({ light, dark }: { light: string; dark: string }): string {
  return `:root{--accent:${light}}@media(prefers-color-scheme:dark){:root{--accent:${dark}}}`;
}

function ownIcon({ light, dark }: { light: string; dark: string }): Asset {
  const content = textOf('../favicon.svg')
    .replaceAll(ICON_COLOURS.light, light)
    .replaceAll(ICON_COLOURS.dark, dark);
  return assetOf('/favicon.svg', { type: 'image/svg+xml', content });
}

function textOf(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}
