/** An image in a page: its address and its alternative text ('' if none). */
export type DescribedImage = { url: string; description: string };

/** Maximum nesting of parentheses in an address. */
const NESTING_MAX = 8;

/** Lists the images of a page's Markdown, `![text](address)`, each address once, in page order, at most `max`. */
export function listMarkdownImages(markdown: string, max: number): DescribedImage[] {
  const found = new Map<string, DescribedImage>();
  let middle = 0;
  for (let at = markdown.indexOf('!['); at !== -1 && found.size < max; ) {
    const next = markdown.indexOf('![', at + 2);
    // Kept between images, so that the text is searched only once.
    if (middle < at + 2) middle = markdown.indexOf('](', at + 2);
    if (middle === -1) break;
    const isOwn = next === -1 || middle < next;
    const image = isOwn ? readImage(markdown, { from: at + 2, middle }) : null;
    const known = image === null ? undefined : found.get(image.url);
    if (image !== null && (known === undefined || known.description === '')) found.set(image.url, image);
    at = next;
  }
  return [...found.values()];
}

function readImage(
  markdown: string,
  { from, middle }: { from: number; middle: number },
): DescribedImage | null {
  const end = findAddressEnd(markdown, middle + 2);
  const url = markdown.slice(middle + 2, end);
  if (end === -1 || !/^https?:\/\/\S+$/.test(url)) return null;
  const description = markdown.slice(from, middle).replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return { url, description: description.replace(/\s+/g, ' ').trim() };
}

/** Returns the offset of the parenthesis that closes an address, or -1: addresses may contain paired ones, but no white space. */
function findAddressEnd(markdown: string, from: number): number {
  let open = 0;
  for (let at = from; at < markdown.length; at += 1) {
    const char = markdown[at];
    if (char === ')') {
      if (open === 0) return at;
      open -= 1;
    } else if (char === '(') {
      open += 1;
      if (open > NESTING_MAX) return -1;
    } else if (char === ' ' || char === '\n') return -1;
  }
  return -1;
}
