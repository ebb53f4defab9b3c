import { readFileSync } from 'node:fs';
import type { Terms } from '../../calls/operation.ts';
import { type Asset, createAsset } from '../assets.ts';

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

/** A colour as red, green and blue, each from 0 to 255. */
type Colour = readonly [number, number, number];

const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];
/** The backgrounds of both colour schemes in style/tokens.css; a test compares them. */
export const LIGHT_GROUND = '#fbfcfb';
export const DARK_GROUND = '#0e1517';
/** Minimum contrast. WCAG AA for text is 4.5; this is a little more, because tinted backgrounds reduce it. */
const CONTRAST_MIN = 5.6;
const STEPS = 50;

/** Finds the nearest readable variants of a brand colour (`#rrggbb`) for links and buttons on the light and the dark background. */
export function deriveBrandColours(colour: string): { light: string; dark: string } {
  const wanted = parseColour(colour);
  return {
    light: findReadable(wanted, { ground: LIGHT_GROUND, towards: BLACK }),
    dark: findReadable(wanted, { ground: DARK_GROUND, towards: WHITE }),
  };
}

/** Finds the first mix with black or white that has enough contrast. */
function findReadable(colour: Colour, { ground, towards }: { ground: string; towards: Colour }): string {
  for (let step = 0; step <= STEPS; step++) {
    const mixed = formatHex(mix(colour, towards, step / STEPS));
    if (computeContrast(mixed, ground) >= CONTRAST_MIN) return mixed;
  }
  return formatHex(towards);
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const computeChannel = (place: 0 | 1 | 2): number =>
    Math.round(from[place] + (to[place] - from[place]) * share);
  return [computeChannel(0), computeChannel(1), computeChannel(2)];
}

/** Computes the WCAG 2 contrast ratio of two colours, from 1 to 21. */
export function computeContrast(one: string, other: string): number {
  const [a, b] = [computeLuminance(parseColour(one)), computeLuminance(parseColour(other))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function computeLuminance(colour: Colour): number {
  const linearizeChannel = (place: 0 | 1 | 2): number => {
    const value = colour[place] / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linearizeChannel(0) + 0.7152 * linearizeChannel(1) + 0.0722 * linearizeChannel(2);
}

function parseColour(colour: string): Colour {
  const computeChannel = (place: number): number => Number.parseInt(colour.slice(place, place + 2), 16);
  return [computeChannel(1), computeChannel(3), computeChannel(5)];
}

const formatHex = (colour: Colour): string =>
  `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
