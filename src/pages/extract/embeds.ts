import { isElement, NO_ATTRIBUTES, type TreeElement } from './table-shape.ts';

/** A page or file that an element embeds: its address as written in the page (unresolved) and its name. */
type Embed = { href: string; name: string };

/** Player addresses and the page each stands for; `$1` is the first captured group. */
const PLAYERS: [player: RegExp, page: string][] = [
  [
    /^(?:https?:)?\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/videoseries\?(?:.*&)?list=([\w-]+)/,
    'https://www.youtube.com/playlist?list=$1',
  ],
  [
    /^(?:https?:)?\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/(?:embed|v)\/([\w-]{6,})/,
    'https://www.youtube.com/watch?v=$1',
  ],
  [/^(?:https?:)?\/\/player\.vimeo\.com\/video\/(\d+)/, 'https://vimeo.com/$1'],
  [
    /^(?:https?:)?\/\/(?:www\.)?dailymotion\.com\/embed\/video\/(\w+)/,
    'https://www.dailymotion.com/video/$1',
  ],
  [/^(?:https?:)?\/\/open\.spotify\.com\/embed\/(\w+\/\w+)/, 'https://open.spotify.com/$1'],
  [/^(?:https?:)?\/\/embed\.podcasts\.apple\.com\/(\S+)/, 'https://podcasts.apple.com/$1'],
  [/^(?:https?:)?\/\/(?:www\.)?loom\.com\/embed\/(\w+)/, 'https://www.loom.com/share/$1'],
  [/^(?:https?:)?\/\/embed\.ted\.com\/(\S+)/, 'https://www.ted.com/$1'],
  [/^(?:https?:)?\/\/codepen\.io\/([\w-]+)\/embed\/(?:preview\/)?([\w-]+)/, 'https://codepen.io/$1/pen/$2'],
  [/^(?:https?:)?\/\/archive\.org\/embed\/([^?#]+)/, 'https://archive.org/details/$1'],
  [/^https:\/\/gist\.github\.com\/([\w-]+\/\w+)\.js/, 'https://gist.github.com/$1'],
];
/** Hosts and paths of frames with players, maps or programs that have no simpler address. */
const SHOWN =
  /player|video|embed|podcast|audio|soundcloud|bandcamp|mixcloud|spotify|twitch|wistia|brightcove|jwplatform|streamable|tiktok|maps|map\b|slideshare|speakerdeck|jsfiddle|codesandbox|stackblitz|datawrapper|flourish|youtu|vimeo/i;
/** Frames for tracking, advertising, sign-up and other widgets. */
const UNWANTED =
  /doubleclick|googlesyndication|googletagmanager|adservice|\/ads?[/._-]|amazon-adsystem|taboola|outbrain|captcha|newsletter|subscri|sign-?up|mailchimp|hsforms|typeform|disqus|comments?|\/plugins\/(?:like|follow|page|share)|share|button|consent|cookie|chat|login|analytics|pixel|beacon|criteo|advert/i;
const EMPTY = /^(?:about:|javascript:|data:|#|$)/i;
const TINY = /^[0-9](?:px)?$/;

/** Returns what an element embeds, or null when a reader would not miss it. */
export function findEmbed(element: TreeElement): Embed | null {
  const { tag, attributes } = element;
  switch (tag) {
    case 'iframe':
      return readFrame(element);
    case 'video':
    case 'audio':
    case 'amp-video':
    case 'amp-audio':
      return buildEmbed(findMediaSource(element), element, tag.endsWith('audio') ? 'Audio' : 'Video');
    case 'object':
    case 'embed':
      return readPlugin(element);
    case 'lite-youtube':
    case 'amp-youtube':
      return buildYoutubeEmbed(attributes.videoid ?? attributes['data-videoid'], element);
    case 'lite-vimeo':
    case 'amp-vimeo': {
      const id = attributes.videoid ?? attributes['data-videoid'] ?? '';
      return /^\d+$/.test(id) ? buildEmbed(`https://vimeo.com/${id}`, element, 'Video') : null;
    }
    case 'script':
      return attributes.src?.startsWith('https://gist.github.com/')
        ? buildEmbed(attributes.src, element, 'Gist')
        : null;
    default:
      return attributes['data-youtube-id'] === undefined
        ? null
        : buildYoutubeEmbed(attributes['data-youtube-id'], element);
  }
}

function readFrame(element: TreeElement): Embed | null {
  const { attributes } = element;
  const { title = '', width = '', height = '', style = '' } = attributes;
  const src = [
    attributes.src,
    attributes['data-src'],
    attributes['data-lazy-src'],
    attributes['data-litespeed-src'],
    attributes['data-cookieblock-src'],
  ]
    .map((each) => each?.trim() ?? '')
    .find((each) => !EMPTY.test(each));
  if (src === undefined || TINY.test(width) || TINY.test(height) || /display\s*:\s*none/i.test(style))
    return null;
  const player = findPlayerPage(src);
  if (player !== null) return { href: player, name: readEmbedName(element, detectKind(src)) };
  if (UNWANTED.test(src) || UNWANTED.test(title)) return null;
  const full = attributes.allowfullscreen !== undefined;
  if (!full && title === '' && !SHOWN.test(src)) return null;
  return { href: src, name: readEmbedName(element, full ? 'Video' : detectKind(src)) };
}

function detectKind(src: string): string {
  if (/maps?\b/i.test(src)) return 'Map';
  if (/audio|podcast|soundcloud|bandcamp|spotify/i.test(src)) return 'Audio';
  return /video|player|youtu|vimeo|dailymotion|loom|ted\.com|archive\.org/i.test(src)
    ? 'Video'
    : 'Embedded page';
}

/** Reads the film or document of a plugin; the element's own content is a fallback for readers without the plugin. */
function readPlugin(element: TreeElement): Embed | null {
  const { attributes } = element;
  const movie = element.children
    .filter(isElement)
    .find((each) => each.tag === 'param' && /^(?:movie|src)$/i.test(each.attributes.name ?? ''));
  const src = attributes.data ?? attributes.src ?? movie?.attributes.value ?? '';
  if (EMPTY.test(src) || UNWANTED.test(src)) return null;
  const type = attributes.type ?? '';
  if (/\.pdf(?:[?#]|$)/i.test(src) || type === 'application/pdf') return buildEmbed(src, element, 'Document');
  if (findPlayerPage(src) !== null || /^(?:video|audio)\//.test(type) || SHOWN.test(src))
    return buildEmbed(src, element, type.startsWith('audio/') ? 'Audio' : 'Video');
  return null;
}

function buildYoutubeEmbed(id: string | undefined, element: TreeElement): Embed | null {
  return id === undefined || !/^[\w-]{6,}$/.test(id)
    ? null
    : buildEmbed(`https://www.youtube.com/watch?v=${id}`, element, 'Video');
}

function findMediaSource({ attributes, children }: TreeElement): string | undefined {
  const own = attributes.src || attributes['data-src'];
  if (own) return own;
  const source = children.filter(isElement).find(({ tag }) => tag === 'source');
  return source?.attributes.src ?? source?.attributes['data-src'];
}

function buildEmbed(src: string | undefined, element: TreeElement, kind: string): Embed | null {
  if (src === undefined || EMPTY.test(src.trim())) return null;
  return { href: findPlayerPage(src.trim()) ?? src.trim(), name: readEmbedName(element, kind) };
}

function readEmbedName({ attributes }: TreeElement, kind: string): string {
  const names = [attributes.title, attributes['aria-label'], attributes.playlabel, attributes.alt];
  return names.find((name) => name !== undefined && name.trim() !== '')?.trim() ?? kind;
}

function findPlayerPage(src: string): string | null {
  for (const [player, page] of PLAYERS) {
    const found = player.exec(src);
    if (found !== null) return page.replace(/\$(\d)/g, (_, group: string) => found[Number(group)] ?? '');
  }
  return null;
}

/** Pictures and formulas have no text to choose: they are kept or dropped with the text around them. */
const PICTURES = new Set(['hr', 'img', 'picture', 'amp-img', 'math']);
const EMBEDS = new Set(
  'iframe video audio object embed script lite-youtube amp-youtube lite-vimeo amp-vimeo amp-video amp-audio'.split(
    ' ',
  ),
);
/** Formulas drawn from a hidden source, and embedded posts of other sites that a script completes. */
const MEDIA_CLASS =
  /(?:^|\s)(?:mwe-math-element|MathJax_Display|mjx-container|instagram-media|twitter-tweet|twitter-video|tiktok-embed|bluesky-embed|reddit-embed-bq|mastodon-embed)(?=\s|$)/;
/** Returns whether an element is content although it has no text. */
export function isMedia(element: TreeElement): boolean {
  const { tag, attributes } = element;
  if (PICTURES.has(tag)) return true;
  if (tag === 'noscript') return hasPicture(element);
  if (attributes === NO_ATTRIBUTES) return EMBEDS.has(tag) && findEmbed(element) !== null;
  if (tag === 'script' && attributes.type?.startsWith('math/tex')) return true;
  if (attributes.class !== undefined && MEDIA_CLASS.test(attributes.class)) return true;
  if (attributes['data-expr'] !== undefined || attributes['data-tex'] !== undefined) return true;
  return (EMBEDS.has(tag) || attributes['data-youtube-id'] !== undefined) && findEmbed(element) !== null;
}

function hasPicture({ children }: TreeElement): boolean {
  return children.some((child) => isElement(child) && (PICTURES.has(child.tag) || hasPicture(child)));
}
