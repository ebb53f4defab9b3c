/** Providers of https://oembed.com whose pages show little without scripts: the pattern of their pages, and their endpoint. */
const PROVIDERS: [page: RegExp, endpoint: string][] = [
  [
    /^https:\/\/(?:(?:www|m|music)\.)?youtube\.com\/(?:watch\?|shorts\/|live\/|playlist\?)/,
    'https://www.youtube.com/oembed',
  ],
  [/^https:\/\/youtu\.be\/[\w-]+/, 'https://www.youtube.com/oembed'],
  [/^https:\/\/(?:www\.)?vimeo\.com\/(?:\w+\/){0,3}\d+/, 'https://vimeo.com/api/oembed.json'],
  [/^https:\/\/(?:www\.)?dailymotion\.com\/video\//, 'https://www.dailymotion.com/services/oembed'],
  [/^https:\/\/soundcloud\.com\/[\w-]+\/[\w-]+/, 'https://soundcloud.com/oembed'],
  [
    /^https:\/\/open\.spotify\.com\/(?:track|album|playlist|episode|show|artist)\//,
    'https://open.spotify.com/oembed',
  ],
  [/^https:\/\/(?:www\.)?tiktok\.com\/@[\w.-]+\/video\/\d+/, 'https://www.tiktok.com/oembed'],
  [/^https:\/\/(?:www\.)?(?:twitter|x)\.com\/\w+\/status\/\d+/, 'https://publish.twitter.com/oembed'],
  [/^https:\/\/(?:www\.)?flickr\.com\/photos\/[^/]+\/\d+/, 'https://www.flickr.com/services/oembed/'],
  [/^https:\/\/(?:www\.)?ted\.com\/talks\//, 'https://www.ted.com/services/v1/oembed.json'],
  [/^https:\/\/codepen\.io\/[\w-]+\/pen\/\w+/, 'https://codepen.io/api/oembed'],
  [/^https:\/\/(?:www\.)?mixcloud\.com\/[\w-]+\/[\w-]+/, 'https://app.mixcloud.com/oembed/'],
  [/^https:\/\/sketchfab\.com\/3d-models\//, 'https://sketchfab.com/oembed'],
  [/^https:\/\/streamable\.com\/\w+/, 'https://api.streamable.com/oembed.json'],
  [/^https:\/\/(?:www\.)?loom\.com\/share\/\w+/, 'https://www.loom.com/v1/oembed'],
  [/^https:\/\/(?:www\.)?figma\.com\/(?:file|design|proto)\/\w+/, 'https://www.figma.com/api/oembed'],
  [/^https:\/\/speakerdeck\.com\/[\w-]+\/[\w-]+/, 'https://speakerdeck.com/oembed.json'],
];

/** Returns the address of a page's oEmbed answer, or null if its provider is not known. */
export function buildOembedUrl(page: string): string | null {
  const endpoint = PROVIDERS.find(([pages]) => pages.test(page))?.[1];
  return endpoint === undefined ? null : `${endpoint}?format=json&url=${encodeURIComponent(page)}`;
}
