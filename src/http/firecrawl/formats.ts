import { z } from 'zod';
import type { AttributeWanted } from '../../pages/extract/extras/extras-types.ts';
import { readSelector, type Selector } from '../../pages/extract/extras/selector.ts';
import type { JsonObject } from '../calls/call.ts';

const PLAIN_FORMATS = ['markdown', 'html', 'rawHtml', 'links', 'images'] as const;
type PlainFormat = (typeof PLAIN_FORMATS)[number];

/** What a caller wants of a page. */
export type FormatsWanted = {
  plain: ReadonlySet<PlainFormat>;
  attributes: AttributeWanted[];
  /** Known formats that this service does not make. */
  notOffered: string[];
};

const DEFAULT = ['markdown'];
const FORMATS_MAX = 20;
const SELECTORS_MAX = 20;
const ATTRIBUTE_CHARS_MAX = 128;

/** Need a browser, a model or a store of earlier versions. */
const NOT_OFFERED: ReadonlyMap<string, string> = new Map([
  ...['screenshot', 'screenshot@fullPage', 'branding', 'audio', 'video'].map(
    (name) => [name, 'a browser'] as const,
  ),
  ...['json', 'summary', 'highlights', 'question', 'query', 'product', 'menu', 'extract'].map(
    (name) => [name, 'a model'] as const,
  ),
  ['changeTracking', 'earlier versions of the page'],
]);

/** Texts, or objects with a `type`, as the clients send them. */
export const formats = z
  .unknown()
  .meta({
    description:
      'A list of markdown (the default), html, rawHtml, links, images, or {type: "attributes", selectors: [{selector, attribute}]}. Formats that need a browser or a model are not offered.',
    examples: [
      ['markdown'],
      ['markdown', 'rawHtml'],
      ['links', { type: 'images' }],
      [{ type: 'attributes', selectors: [{ selector: 'a.reference', attribute: 'href' }] }],
    ],
  })
  .transform((given, context): FormatsWanted => {
    const wanted = { plain: new Set<PlainFormat>(), attributes: [], notOffered: [] };
    const complain = (message: string): void => context.addIssue({ code: 'custom', message });
    if (!Array.isArray(given) || given.length > FORMATS_MAX) {
      complain(`must be an array of at most ${FORMATS_MAX} formats`);
      return wanted;
    }
    for (const one of given.length === 0 ? DEFAULT : given) addFormat(one, wanted, complain);
    if (given.length > 0 && wanted.notOffered.length === given.length)
      complain(wanted.notOffered.map(whyNot).join('; '));
    return wanted;
  })
  .prefault(DEFAULT);

/** Why a format is not made. */
export const whyNot = (name: string): string =>
  `${name} needs ${NOT_OFFERED.get(name)}, which this service does not have`;

function addFormat(
  given: unknown,
  wanted: { plain: Set<PlainFormat>; attributes: AttributeWanted[]; notOffered: string[] },
  complain: (message: string) => void,
): void {
  const options: JsonObject = isObject(given) ? given : { type: given };
  const name = String(options.type);
  const plain = PLAIN_FORMATS.find((one) => one === name);
  if (plain !== undefined) wanted.plain.add(plain);
  else if (NOT_OFFERED.has(name)) wanted.notOffered.push(name);
  else if (name === 'attributes') wanted.attributes.push(...attributesOf(options.selectors, complain));
  else complain(`must hold formats; "${name.slice(0, 40)}" is none`);
}

function attributesOf(given: unknown, complain: (message: string) => void): AttributeWanted[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > SELECTORS_MAX) {
    complain(`attributes must have 1 to ${SELECTORS_MAX} selectors`);
    return [];
  }
  return given.flatMap((one: unknown): AttributeWanted[] => {
    const { selector, attribute }: JsonObject = isObject(one) ? one : {};
    if (
      typeof selector !== 'string' ||
      typeof attribute !== 'string' ||
      attribute.length > ATTRIBUTE_CHARS_MAX
    ) {
      complain('attributes must have selectors of the form {selector, attribute}');
      return [];
    }
    const read = selectorIn(selector, complain);
    return read === null ? [] : [{ selector: read, attribute }];
  });
}

/** A selector, or null after a complaint about it. */
export function selectorIn(text: string, complain: (message: string) => void): Selector | null {
  const read = readSelector(text);
  if (typeof read === 'string') return read;
  complain(`the selector "${text.slice(0, 80)}" ${read.problem}`);
  return null;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
