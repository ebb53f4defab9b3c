import type { PublicSite } from './public-site.ts';

/** Pages on any host that name their own entry in the interface (`link rel=alternate type=application/json`). */
export const wordPress: PublicSite = {
  name: 'wordpress',
  about: 'https://developer.wordpress.org/rest-api/reference/posts/',
  when: 'instead',
  declared: /^https?:\/\/[^?#]+\/wp-json\/wp\/v2\/[\w-]+\/\d+$/,
  title: '0.title.rendered',
  published: '0.date',
  parts: [{ html: '0.content.rendered' }],
};
