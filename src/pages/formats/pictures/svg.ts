import { createPathReader } from '../../../text/xml/path-reader.ts';
import type { Article } from '../../article.ts';
import { absoluteLink, plainArticle } from '../plain-article.ts';

const TEXT_CHARS_MAX = 100_000;
const LINKS_MAX = 2_000;

/** A drawing as what it says of itself: title, description, size and the texts in it. */
export function readSvg(xml: string, url: string): Article {
  const parts = { title: '', desc: '', text: [] as string[] };
  const links = new Set<string>();
  let size = '';
  let chars = 0;
  const reader = createPathReader(
    {
      onOpen(path, attributes) {
        const name = path.at(-1);
        if (path.length === 1 && name === 'svg') size = sizeOf(attributes);
        const link =
          name === 'a' ? absoluteLink(attributes.href ?? attributes['xlink:href'] ?? '', url) : null;
        if (link !== null && links.size < LINKS_MAX) links.add(link);
        if (name === 'text') parts.text.push('');
      },
      onText(path, part) {
        chars += part.length;
        if (chars > TEXT_CHARS_MAX) return;
        if (path.includes('text')) parts.text.push((parts.text.pop() ?? '') + part);
        else if (path.length === 2 && path[1] === 'title') parts.title += part;
        else if (path.length === 2 && path[1] === 'desc') parts.desc += part;
      },
      onClose: () => {},
    },
    (name) => name.replace(/^svg:/, ''),
  );
  reader.write(xml);
  reader.end();
  const [title, description] = [oneLine(parts.title), oneLine(parts.desc)];
  const texts = parts.text.map(oneLine).filter((text) => text !== '');
  const facts = [title === '' ? '' : `# ${title}`, description, `Drawing (SVG)${size}.`, texts.join('\n\n')];
  return plainArticle(url, {
    kind: 'document',
    title,
    description: description === '' ? null : description,
    markdown: facts.filter((fact) => fact !== '').join('\n\n'),
    headings: title === '' ? [] : [title],
    links: [...links],
    rawChars: xml.length,
  });
}

function sizeOf({ width, height, viewBox = '' }: Record<string, string>): string {
  const [, , w, h] = viewBox.trim().split(/[\s,]+/);
  const [across, down] = [width ?? w, height ?? h].map((side) => Number.parseFloat(side ?? ''));
  return Number.isFinite(across) && Number.isFinite(down) ? `, ${across} × ${down}` : '';
}

/** Text on one line, with the marks of Markdown escaped. */
const oneLine = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*[\]<>]/g, '\\$&');
