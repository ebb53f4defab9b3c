import { createPathReader } from '../../../text/xml/path-reader.ts';
import type { Article } from '../../article.ts';
import { escapeMarkdown } from '../../extract/markdown/inline/finish-inline.ts';
import { buildPlainArticle, resolveLink } from '../plain-article.ts';

const TEXT_CHARS_MAX = 100_000;
const LINKS_MAX = 2_000;

/** Reads a drawing as its title, description, size and texts. */
export function readSvg(xml: string, url: string): Article {
  const parts = { title: '', desc: '', text: [] as string[] };
  const links = new Set<string>();
  let size = '';
  let chars = 0;
  const reader = createPathReader(
    {
      onOpen(path, attributes) {
        const name = path.at(-1);
        if (path.length === 1 && name === 'svg') size = formatSize(attributes);
        const link =
          name === 'a' ? resolveLink(attributes.href ?? attributes['xlink:href'] ?? '', url) : null;
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
  const [title, description] = [escapeMarkdown(parts.title), escapeMarkdown(parts.desc)];
  const texts = parts.text.map((text) => escapeMarkdown(text)).filter((text) => text !== '');
  const facts = [title === '' ? '' : `# ${title}`, description, `Drawing (SVG)${size}.`, texts.join('\n\n')];
  return buildPlainArticle(url, {
    kind: 'document',
    title,
    description: description === '' ? null : description,
    markdown: facts.filter((fact) => fact !== '').join('\n\n'),
    headings: title === '' ? [] : [title],
    links: [...links],
    rawChars: xml.length,
  });
}

function formatSize({ width, height, viewBox = '' }: Record<string, string>): string {
  const [, , w, h] = viewBox.trim().split(/[\s,]+/);
  const [across, down] = [width ?? w, height ?? h].map((side) => Number.parseFloat(side ?? ''));
  return Number.isFinite(across) && Number.isFinite(down) ? `, ${across} × ${down}` : '';
}
