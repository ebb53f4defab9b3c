import type { PageFacts } from './page-facts.ts';

/** What `meta name=robots` asks of every crawler; several tags add up, `none` means neither. */
export function robotsOf({ meta }: PageFacts): { index: boolean; follow: boolean } {
  const words = (meta.get('robots') ?? []).flatMap((content) => content.toLowerCase().split(/[\s,]+/));
  const none = words.includes('none');
  return { index: !none && !words.includes('noindex'), follow: !none && !words.includes('nofollow') };
}
