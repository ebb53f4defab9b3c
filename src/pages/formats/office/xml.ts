import { createPathReader } from '../../../text/xml/path-reader.ts';
import type { Article } from '../../article.ts';
import type { Zip } from './zip.ts';

/** Callbacks for the elements of an office file; `names` are the open elements, the current one last. */
type XmlHandler = {
  open?(name: string, attributes: Record<string, string>, names: readonly string[]): void;
  text?(text: string, name: string, names: readonly string[]): void;
  close?(name: string, names: readonly string[]): void;
};

/** Reads XML element by element. Names keep their prefixes, which are fixed in practice. */
export function readXml(xml: string, { open, text, close }: XmlHandler): void {
  const reader = createPathReader(
    {
      onOpen: (path, attributes) => open?.(path.at(-1) ?? '', attributes, path),
      onText: (path, part) => text?.(part, path.at(-1) ?? '', path),
      onClose: (path) => close?.(path.at(-1) ?? '', path),
    },
    (name) => name,
  );
  reader.write(xml);
  reader.end();
}

/** Reads the texts of elements by name, the first of each; for files of properties. */
function readTexts(xml: string): Map<string, string> {
  const texts = new Map<string, string>();
  let text = '';
  readXml(xml, {
    open: () => {
      text = '';
    },
    text: (part) => {
      text += part;
    },
    close: (name) => {
      if (!texts.has(name) && text.trim() !== '') texts.set(name, text.trim());
      text = '';
    },
  });
  return texts;
}

/** A relation of a part of an Office Open XML file: the part or the address that it points to. */
export type Relation = { target: string; type: string; external: boolean };

/** Reads the relations of a part by their ids; targets are names in the archive, or addresses. */
export function readRelations(xml: string, folder: string): Map<string, Relation> {
  const relations = new Map<string, Relation>();
  readXml(xml, {
    open: (name, { Id: id, Target: target, Type: type = '', TargetMode: mode }) => {
      if (!name.endsWith('Relationship') || id === undefined || target === undefined) return;
      const external = mode === 'External';
      relations.set(id, {
        target: external ? target : resolvePartName(target, folder),
        type: type.split('/').at(-1) ?? '',
        external,
      });
    },
  });
  return relations;
}

/** Resolves a name in the archive that is written relative to a folder. */
export function resolvePartName(target: string, folder: string): string {
  const path = URL.parse(target, `file:///${folder === '' ? '' : `${folder}/`}`)?.pathname ?? '';
  try {
    return decodeURIComponent(path.slice(1));
  } catch (error) {
    if (error instanceof URIError) return path.slice(1);
    throw error;
  }
}

type Properties = Pick<Article, 'title' | 'author' | 'description' | 'language' | 'published'>;

/** Reads the title, author and date of an office file, which all these formats write in Dublin Core. */
export function readProperties(
  zip: Zip,
  xml = zip.text('docProps/core.xml') || zip.text('meta.xml'),
): Properties {
  const texts = readTexts(xml);
  const day = (
    texts.get('dcterms:created') ??
    texts.get('meta:creation-date') ??
    texts.get('dc:date') ??
    ''
  ).slice(0, 10);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day));
  return {
    title: texts.get('dc:title') ?? '',
    author: texts.get('dc:creator') ?? texts.get('meta:initial-creator') ?? null,
    description: texts.get('dc:description') ?? texts.get('dc:subject') ?? null,
    language: /^[a-z]{2,3}(?![a-z])/i.exec(texts.get('dc:language') ?? '')?.[0].toLowerCase() ?? null,
    published: isDay ? { day, from: 'meta' } : null,
  };
}
