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
