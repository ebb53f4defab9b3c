import { isElement, type TreeElement } from '../../tree.ts';
import type { WriterContext } from '../writer-context.ts';
import { escapeText } from './escape-text.ts';
import { linked } from './link.ts';

/** Addresses of embedded players and the page of each. */
const PLAYERS: [player: RegExp, page: string][] = [
  [
    /^https?:\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/([\w-]{6,})/,
    'https://www.youtube.com/watch?v=',
  ],
  [/^https?:\/\/player\.vimeo\.com\/video\/(\d+)/, 'https://vimeo.com/'],
  [/^https?:\/\/(?:www\.)?dailymotion\.com\/embed\/video\/(\w+)/, 'https://www.dailymotion.com/video/'],
];

/** A known player in an `iframe`, a `video` or an `audio` -> a link to what it plays; other frames are left out. */
export function video(element: TreeElement, context: WriterContext): string {
  const { attributes, tag } = element;
  const source = attributes.src || attributes['data-src'] || nestedSource(element);
  const address = source === undefined ? null : context.resolve(source);
  if (address === null) return '';
  const name = escapeText(
    attributes.title || attributes['aria-label'] || (tag === 'audio' ? 'Audio' : 'Video'),
  );
  if (tag !== 'iframe') return linked(name, address);
  for (const [player, page] of PLAYERS) {
    const id = player.exec(address)?.[1];
    if (id !== undefined) return linked(name, page + id);
  }
  return '';
}

function nestedSource({ children }: TreeElement): string | undefined {
  return children.filter(isElement).find(({ tag }) => tag === 'source')?.attributes.src;
}
