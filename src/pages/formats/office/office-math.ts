import { escapeUTF8 } from 'entities';

/** Deeper formulas are written as their letters. */
const DEPTH_MAX = 60;

/** An element of a formula that is being read: the MathML of its parts by name, and what its properties say. */
type OpenElement = { name: string; parts: { name: string; html: string }[]; properties: Map<string, string> };

type MathReader = {
  open(name: string, attributes: Record<string, string>): void;
  text(text: string): void;
  /** Closes an element; returns the MathML of a formula that ends with it. */
  close(name: string): string | null;
};

/** Elements with parts of the same order and meaning in MathML. */
const SAME: Record<string, [tag: string, parts: string[]]> = {
  'm:f': ['mfrac', ['m:num', 'm:den']],
  'm:sSup': ['msup', ['m:e', 'm:sup']],
  'm:sSub': ['msub', ['m:e', 'm:sub']],
  'm:sSubSup': ['msubsup', ['m:e', 'm:sub', 'm:sup']],
  'm:limLow': ['munder', ['m:e', 'm:lim']],
  'm:limUpp': ['mover', ['m:e', 'm:lim']],
};
const PROPERTIES = new Set(['m:chr', 'm:begChr', 'm:endChr', 'm:sepChr']);

/** Turns the formulas of office files (ECMA-376, Office Math) into MathML, which the writer of Markdown writes as LaTeX. */
export function createMathReader(): MathReader {
  const stack: OpenElement[] = [];
  return {
    open(name, attributes) {
      const owner = stack.at(-2);
      // A sign is a property of the element around its properties.
      if (PROPERTIES.has(name)) owner?.properties.set(name, attributes['m:val'] ?? '');
      stack.push({ name, parts: [], properties: new Map() });
    },
    text(text) {
      stack.at(-1)?.parts.push({ name: '', html: `<mi>${escapeUTF8(text)}</mi>` });
    },
    close(name) {
      const element = stack.pop();
      if (element === undefined) return null;
      const html = stack.length > DEPTH_MAX ? joinParts(element) : renderElement(element);
      if (stack.length === 0) return `<math>${html}</math>`;
      if (html !== '') stack.at(-1)?.parts.push({ name, html });
      return null;
    },
  };
}

const joinParts = ({ parts }: OpenElement): string => parts.map(({ html }) => html).join('');
const wrapRow = (html: string): string => `<mrow>${html}</mrow>`;

function renderElement(element: OpenElement): string {
  const { name, parts, properties } = element;
  const readPart = (of: string): string => parts.find((part) => part.name === of)?.html ?? '';
  const same = SAME[name];
  if (same !== undefined)
    return `<${same[0]}>${same[1].map((part) => wrapRow(readPart(part))).join('')}</${same[0]}>`;
  if (name === 'm:rad') {
    const degree = readPart('m:deg');
    if (degree === '') return `<msqrt>${readPart('m:e')}</msqrt>`;
    return `<mroot>${wrapRow(readPart('m:e'))}${wrapRow(degree)}</mroot>`;
  }
  if (name === 'm:nary') {
    const sign = `<mo>${escapeUTF8(properties.get('m:chr') ?? '∫')}</mo>`;
    return `<munderover>${sign}${wrapRow(readPart('m:sub'))}${wrapRow(readPart('m:sup'))}</munderover>${readPart('m:e')}`;
  }
  if (name === 'm:d') {
    const [start, end, between] = [
      properties.get('m:begChr') ?? '(',
      properties.get('m:endChr') ?? ')',
      properties.get('m:sepChr') ?? '|',
    ].map((sign) => `<mo>${escapeUTF8(sign)}</mo>`);
    const inner = parts.filter((part) => part.name === 'm:e').map(({ html }) => html);
    return `${start}${inner.join(between)}${end}`;
  }
  if (name === 'm:m') return `<mtable>${joinParts(element)}</mtable>`;
  if (name === 'm:mr') return `<mtr>${parts.map(({ html }) => `<mtd>${html}</mtd>`).join('')}</mtr>`;
  return joinParts(element);
}
