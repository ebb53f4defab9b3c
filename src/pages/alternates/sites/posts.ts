import type { PublicSite } from './public-site.ts';

export const bluesky: PublicSite = {
  name: 'bluesky',
  about: 'https://docs.bsky.app/docs/api/app-bsky-feed-get-post-thread',
  when: 'first',
  page: /^https:\/\/bsky\.app\/profile\/([\w.:-]+)\/post\/(\w+)\/?(?:[?#].*)?$/,
  answers: [
    'https://public.api.bsky.app/xrpc/app.bsky.feed.getPostThread?uri=at://$1/app.bsky.feed.post/$2&depth=6',
  ],
  title: '0.thread.post.author.displayName|0.thread.post.author.handle',
  author: '0.thread.post.author.displayName|0.thread.post.author.handle',
  published: '0.thread.post.record.createdAt',
  language: '0.thread.post.record.langs.0',
  image: '0.thread.post.embed.images.0.fullsize',
  site: 'Bluesky',
  parts: [
    { text: '0.thread.post.record.text' },
    {
      facts: [['Link', '0.thread.post.embed.external.uri']],
    },
    {
      each: '0.thread.replies',
      by: 'post.author.displayName|post.author.handle',
      at: 'post.record.createdAt',
      replies: 'replies',
      heading: 'Replies',
      parts: [{ text: 'post.record.text' }],
    },
  ],
};

/** Servers on any host, recognised by the form of their addresses. */
export const mastodon: PublicSite = {
  name: 'mastodon',
  about: 'https://docs.joinmastodon.org/methods/statuses/',
  when: 'instead',
  page: /^(https:\/\/[^/]+)\/@[\w.@-]+\/(\d{10,20})\/?(?:[?#].*)?$/,
  answers: ['$1/api/v1/statuses/$2', '$1/api/v1/statuses/$2/context'],
  title: '0.account.display_name|0.account.acct',
  author: '0.account.display_name|0.account.acct',
  published: '0.created_at',
  language: '0.language',
  image: '0.media_attachments.0.preview_url',
  parts: [
    { html: '0.content' },
    { facts: [['Link', '0.card.url']] },
    {
      each: '1.descendants',
      by: 'account.display_name|account.acct',
      at: 'created_at',
      heading: 'Replies',
      parts: [{ html: 'content' }],
    },
  ],
};

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
