/** Writes the page of a module: each item under a heading with its qualified name, with its signature and its comment. */

import { fenceCode } from '../../pages/formats/text.ts';
import type { ApiModule, Declaration } from './api-module.ts';
import { LIMITS } from './source-reader.ts';

type ApiItem = { name: string; kind: string; signature: string; line: number };

export type ReferencePage = {
  /** Name of the module in its language. */
  module: string;
  title: string;
  /** Path of the page below the address of its package, ready for a URL. */
  fragment: string;
  markdown: string;
  items: ApiItem[];
};

/** A module that is longer goes on in further pages. */
const PAGE_CHARS_MAX = 200_000;
/** Names that are exported again get a heading each, unless there are more than these. */
const EXPORTED_AGAIN_MAX = 150;

/** Writes one page, or several where the module is long. A module without items and text has none. */
export function writeReferencePages(module: ApiModule): ReferencePage[] {
  const opening = joinBlocks([writeDeprecation(module.deprecated), module.docs]);
  if (module.declarations.length === 0 && opening === '') return [];
  const parts: { blocks: string[]; chars: number; items: ApiItem[] }[] = [];
  for (const { blocks, items } of writeSections(module)) {
    const markdown = joinBlocks(blocks);
    const last = parts.at(-1);
    if (last === undefined || last.chars + markdown.length > PAGE_CHARS_MAX)
      parts.push({ blocks: [markdown], chars: markdown.length, items });
    else {
      last.blocks.push(markdown);
      last.chars += markdown.length;
      for (const item of items) last.items.push(item);
    }
  }
  if (parts.length === 0) parts.push({ blocks: [], chars: 0, items: [] });
  return parts.map(({ blocks, items }, index) => {
    const title =
      index === 0 ? `${module.name}: API reference` : `${module.name}: API reference (${index + 1})`;
    return {
      module: module.name,
      title,
      fragment: buildFragment(module) + (index === 0 ? '' : `/~${index + 1}`),
      markdown: `${joinBlocks([`# ${title}`, index === 0 ? opening : '', ...blocks])}\n`,
      items,
    };
  });
}

/** `tokio::sync` becomes `tokio/sync`; names of npm and Go have their slashes already. */
function buildFragment({ name, language }: ApiModule): string {
  return name
    .split(/^(?:ts|js|go)$/.test(language) ? '/' : /::|\./)
    .filter((part) => part.replaceAll('.', '') !== '')
    .map((part) => encodeURIComponent(part).replaceAll('%40', '@'))
    .join('/');
}

type Section = { blocks: string[]; items: ApiItem[] };

function* writeSections({ declarations, language }: ApiModule): Generator<Section> {
  const again = declarations.filter(({ documentedIn }) => documentedIn !== null);
  const isListed = again.length > EXPORTED_AGAIN_MAX;
  const inBlock = declarations.filter(
    ({ place, documentedIn }) => place === 'block' && documentedIn === null,
  );
  const others = declarations.filter(({ place, documentedIn }) =>
    documentedIn === null ? place !== 'block' : !isListed,
  );
  for (const group of groupByName(others)) yield* writeGroup(group, language);
  if (inBlock.length > 0) {
    const code = inBlock.map(({ signature }) => signature).join('\n');
    yield { blocks: ['## Names without a comment', fenceCode(code, language)], items: inBlock.map(toItem) };
  }
  if (!isListed) return;
  const lines = new Set(
    again.map(({ name, kind, documentedIn }) => `- \`${name}\`: ${kind}, documented in \`${documentedIn}\``),
  );
  yield { blocks: ['## Exported again', [...lines].join('\n')], items: again.map(toItem) };
}

/** Overloads of one name stand under one heading, in the place of the first. */
function groupByName(declarations: readonly Declaration[]): Declaration[][] {
  const groups = Map.groupBy(declarations, ({ name }) => name);
  return [...groups.values()].map((group) => group.slice(0, LIMITS.overloadsMax));
}

/** An item and, below, its members; nested ones have qualified names, so that two levels of headings suffice. */
function* writeGroup(group: readonly Declaration[], language: string, mark = '##'): Generator<Section> {
  const [first] = group;
  if (first === undefined) return;
  const section: Section = { blocks: [`${mark} ${first.name}`], items: [] };
  for (const declaration of group) writeDeclaration(declaration, language, section);
  const members = group.flatMap(({ members: own }) => own);
  for (const member of members) if (member.place !== 'heading') section.items.push(toItem(member));
  yield section;
  for (const inner of groupByName(members.filter(({ place }) => place === 'heading')))
    yield* writeGroup(inner, language, inner.some(({ members: own }) => own.length > 0) ? '##' : '###');
}

function writeDeclaration(declaration: Declaration, language: string, section: Section): void {
  section.items.push(toItem(declaration));
  const code = writeCode(declaration);
  if (code !== '') section.blocks.push(fenceCode(code, language));
  section.blocks.push(writeDeprecation(declaration.deprecated), declaration.docs);
  if (declaration.documentedIn !== null)
    section.blocks.push(`Documented in \`${declaration.documentedIn}\`.`);
}

/** Members without a comment of their own stand in the block of their owner. */
function writeCode({ signature, members }: Declaration): string {
  const inBlock = members.filter(({ place }) => place === 'block');
  if (inBlock.length === 0) return signature;
  const lines = inBlock.map(({ signature: own }) => `    ${own.replaceAll('\n', '\n    ')}`);
  return [signature, ...lines].join('\n');
}

function writeDeprecation(reason: string | null): string {
  if (reason === null) return '';
  return reason.trim() === '' ? '**Deprecated.**' : `**Deprecated:** ${reason.trim()}`;
}

function toItem({ name, kind, signature, line }: Declaration): ApiItem {
  return { name, kind, signature, line };
}

function joinBlocks(blocks: readonly string[]): string {
  return blocks.filter((block) => block.trim() !== '').join('\n\n');
}
