import type { JsonLd } from '../metadata/json-ld.ts';
import { ldText } from '../metadata/json-ld.ts';
import type { TreeNode } from '../tree.ts';
import { isNamed, makeElement, makeText, type Named, nodesOfHtml } from './make-element.ts';

const ITEMS_MAX = 500;

/** The text of a page's JSON-LD that stands for a text of its own: articles, recipes, instructions, questions, events, jobs, products. */
export function structuredText(objects: readonly JsonLd[]): TreeNode[] {
  for (const [type, write] of WRITERS) {
    const found = objects.find(({ types }) => types.some((name) => type.test(name)));
    const nodes = found === undefined ? [] : write(found.value);
    if (nodes.length > 0) return nodes;
  }
  return [];
}

const WRITERS: [type: RegExp, write: (object: Named) => TreeNode[]][] = [
  [/article$|^blogposting$|^report$|^creativework$/, ({ articleBody, text }) => prose(articleBody ?? text)],
  [/^recipe$/, recipe],
  [/^howto$/, howTo],
  [/^(?:faqpage|qapage)$/, questions],
  [/^jobposting$/, job],
  [/event$/, event],
  [/^product(?:group)?$/, product],
];

function recipe(object: Named): TreeNode[] {
  return [
    ...prose(object.description),
    ...section('Ingredients', list('ul', listOf(object.recipeIngredient ?? object.ingredients).map(textsOf))),
    ...section('Instructions', steps(object.recipeInstructions)),
    ...facts([
      ['Yield', object.recipeYield],
      ['Preparation time', object.prepTime],
      ['Cooking time', object.cookTime],
      ['Total time', object.totalTime],
    ]),
  ];
}

function howTo(object: Named): TreeNode[] {
  return [
    ...prose(object.description),
    ...section('Supplies', list('ul', listOf(object.supply).map(textsOf))),
    ...section('Tools', list('ul', listOf(object.tool).map(textsOf))),
    ...section('Steps', steps(object.step)),
  ];
}

function questions({ mainEntity }: Named): TreeNode[] {
  return listOf(mainEntity)
    .filter(isNamed)
    .flatMap((question) => {
      const answers = [...listOf(question.acceptedAnswer), ...listOf(question.suggestedAnswer)].filter(
        isNamed,
      );
      const written = answers.flatMap(({ text }) => prose(text));
      return written.length === 0 ? [] : [heading(ldText(question.name) ?? ''), ...written];
    });
}

function job(object: Named): TreeNode[] {
  const place = listOf(object.jobLocation)
    .filter(isNamed)
    .map(({ address }) => addressText(address));
  return [
    ...facts([
      ['Employer', object.hiringOrganization],
      ['Location', place],
      ['Employment type', object.employmentType],
      ['Salary', salary(object.baseSalary)],
      ['Posted', object.datePosted],
      ['Apply by', object.validThrough],
    ]),
    ...prose(object.description),
    ...['responsibilities', 'qualifications', 'skills', 'jobBenefits'].flatMap((name) =>
      section(NAMES[name] ?? name, prose(object[name])),
    ),
  ];
}
const NAMES: Record<string, string> = {
  responsibilities: 'Responsibilities',
  qualifications: 'Qualifications',
  skills: 'Skills',
  jobBenefits: 'Benefits',
};

function event(object: Named): TreeNode[] {
  const [location] = listOf(object.location).filter(isNamed);
  const place = location === undefined ? null : [ldText(location), addressText(location.address)];
  return [
    ...facts([
      ['Starts', object.startDate],
      ['Ends', object.endDate],
      ['Place', place],
      ['Organiser', object.organizer],
    ]),
    ...prose(object.description),
  ];
}

function product(object: Named): TreeNode[] {
  const offers = listOf(object.offers).filter(isNamed);
  const properties = listOf(object.additionalProperty).filter(isNamed);
  return [
    ...prose(object.description),
    ...facts([
      ['Brand', object.brand],
      ['Price', offers.map(priceOf)],
      ['SKU', object.sku],
      ['Colour', object.color],
      ['Material', object.material],
      ...properties.map(({ name, value }): Fact => [ldText(name) ?? '', value]),
    ]),
  ];
}

function priceOf({ price, lowPrice, highPrice, priceCurrency }: Named): string | null {
  const amount = textsOf(price ?? lowPrice);
  if (amount === '') return null;
  const most = price === undefined && highPrice !== undefined ? ` to ${textsOf(highPrice)}` : '';
  return `${amount}${most} ${textsOf(priceCurrency)}`.trim();
}

function salary(value: unknown): string | null {
  if (!isNamed(value)) return ldText(value);
  const amount = isNamed(value.value) ? value.value : value;
  const range = [amount.minValue, amount.maxValue].map(textsOf).filter((text) => text !== '');
  const number = range.length > 0 ? range.join(' to ') : textsOf(amount.value);
  return number === ''
    ? null
    : [number, textsOf(value.currency), textsOf(amount.unitText).toLowerCase()].join(' ').trim();
}

function addressText(address: unknown): string {
  if (!isNamed(address)) return textsOf(address);
  return ['streetAddress', 'postalCode', 'addressLocality', 'addressRegion', 'addressCountry']
    .map((name) => textsOf(address[name]))
    .filter((text) => text !== '')
    .join(', ');
}

/** Steps in order; a section of steps has its name above them. */
function steps(value: unknown): TreeNode[] {
  if (typeof value === 'string') return prose(value);
  const all = listOf(value);
  const sections = all.filter(isNamed).filter(({ itemListElement }) => itemListElement !== undefined);
  if (sections.length === 0) return list('ol', all.map(stepText));
  return sections.flatMap((part) => [
    makeElement('h3', [makeText(ldText(part.name) ?? '')]),
    ...list('ol', listOf(part.itemListElement).map(stepText)),
  ]);
}

const stepText = (step: unknown): string =>
  isNamed(step) ? (ldText(step.text) ?? ldText(step) ?? '') : textsOf(step);

type Fact = [name: string, value: unknown];

function facts(pairs: Fact[]): TreeNode[] {
  const written = pairs
    .map(([name, value]) => [name, textsOf(value)] as const)
    .filter(([name, text]) => name !== '' && text !== '');
  return list(
    'ul',
    written.map(([name, text]) => `${name}: ${text}`),
  );
}

function section(title: string, nodes: TreeNode[]): TreeNode[] {
  return nodes.length === 0 ? [] : [heading(title), ...nodes];
}

const heading = (text: string): TreeNode => makeElement('h2', [makeText(text)]);

function list(tag: 'ul' | 'ol', items: string[]): TreeNode[] {
  const shown = items.filter((item) => item !== '').slice(0, ITEMS_MAX);
  return shown.length === 0
    ? []
    : [
        makeElement(
          tag,
          shown.map((item) => makeElement('li', nodesOfHtml(item))),
        ),
      ];
}

/** A text as paragraphs, or the HTML that it is. */
function prose(value: unknown): TreeNode[] {
  const text = ldText(value);
  if (text === null) return [];
  if (/<(?:p|div|br|h[1-6]|ul|ol|li)\b/i.test(text)) return nodesOfHtml(text);
  return text
    .split(/\n+/)
    .filter((part) => part.trim() !== '')
    .map((part) => makeElement('p', nodesOfHtml(part)));
}

const listOf = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).slice(0, ITEMS_MAX);

const textsOf = (value: unknown): string =>
  listOf(value)
    .map((one) => (typeof one === 'number' ? String(one) : (ldText(one) ?? '')))
    .filter((text) => text !== '')
    .join(', ');
