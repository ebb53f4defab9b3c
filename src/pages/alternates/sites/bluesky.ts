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
