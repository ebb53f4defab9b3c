import { BOT_CHECK, type Recording, SHELL } from './recording.ts';

/** What code hosts, forums, social networks and blogs answer. */
export const POST_RECORDINGS: Record<string, Recording> = {
  'github-issues': {
    page: 'https://github.com/marsh/tides/issues/7',
    own: { status: 403, body: BOT_CHECK },
    answers: {
      'https://api.github.com/repos/marsh/tides/issues/7': {
        body: {
          number: 7,
          title: 'Neap tides are late',
          state: 'open',
          created_at: '2024-01-05T23:00:00Z',
          user: { login: 'ada' },
          labels: [{ name: 'bug' }],
          body: 'They come **late**.',
        },
      },
      'https://api.github.com/repos/marsh/tides/issues/7/comments?per_page=100': {
        body: [{ user: { login: 'ben' }, created_at: '2024-01-06T08:00:00Z', body: 'Confirmed for `v2`.' }],
      },
    },
    title: 'Neap tides are late',
    author: 'ada',
    published: '2024-01-05',
    lines: [
      '- Labels: bug',
      'They come **late**.',
      '## Comments',
      '**ben**, 2024-01-06',
      'Confirmed for `v2`.',
    ],
  },
  'hacker-news': {
    page: 'https://news.ycombinator.com/item?id=4242',
    own: { status: 403, body: BOT_CHECK },
    answers: {
      'https://hn.algolia.com/api/v1/items/4242': {
        body: {
          id: 4242,
          type: 'story',
          author: 'ada',
          title: 'Show HN: Tides',
          points: 12,
          url: 'https://tides.example.org/',
          text: null,
          created_at: '2023-07-01T09:00:00.000Z',
          children: [
            {
              author: 'ben',
              text: '<p>Which constants?</p>',
              created_at: '2023-07-01T10:00:00.000Z',
              children: [
                { author: 'ada', text: 'All 37.', created_at: '2023-07-02T10:00:00.000Z', children: [] },
              ],
            },
            { author: null, text: null, created_at: '2023-07-03T10:00:00.000Z', children: [] },
          ],
        },
      },
    },
    title: 'Show HN: Tides',
    author: 'ada',
    published: '2023-07-01',
    lines: [
      '<https://tides.example.org/>',
      '## Comments',
      '**ben**, 2023-07-01',
      'Which constants?',
      '**ada**, 2023-07-02',
      'All 37.',
    ],
  },
  'stack-exchange': {
    page: 'https://earthscience.stackexchange.com/questions/311/why-two-tides',
    own: { status: 403, body: BOT_CHECK },
    answers: {
      'https://api.stackexchange.com/2.3/questions/311?site=earthscience.stackexchange.com&filter=withbody': {
        body: {
          items: [
            {
              question_id: 311,
              title: 'Why &quot;two&quot; tides?',
              tags: ['tides', 'moon'],
              score: 9,
              owner: { display_name: 'Ada' },
              creation_date: 1_400_000_000,
              body: '<p>Why are there <em>two</em> a day?</p>',
            },
          ],
        },
      },
      'https://api.stackexchange.com/2.3/questions/311/answers?site=earthscience.stackexchange.com&filter=withbody&order=desc&sort=votes&pagesize=30':
        {
          body: {
            items: [
              {
                owner: { display_name: 'Ben' },
                creation_date: 1_400_100_000,
                body: '<p>Inertia.</p><pre><code>a &lt; b\n</code></pre>',
              },
            ],
          },
        },
    },
    title: 'Why "two" tides?',
    author: 'Ada',
    published: '2014-05-13',
    lines: [
      '- Tags: tides, moon',
      'Why are there *two* a day?',
      '## Answers',
      '**Ben**',
      'Inertia.',
      'a < b',
    ],
  },
  bluesky: {
    page: 'https://bsky.app/profile/ada.example.org/post/3kabcdefg22',
    answers: {
      'https://public.api.bsky.app/xrpc/app.bsky.feed.getPostThread?uri=at://ada.example.org/app.bsky.feed.post/3kabcdefg22&depth=6':
        {
          body: {
            thread: {
              post: {
                author: { handle: 'ada.example.org', displayName: 'Ada Marsh' },
                record: {
                  text: 'High water at noon.\n\nBring boots <3',
                  createdAt: '2024-04-01T11:00:00.000Z',
                  langs: ['en'],
                },
              },
              replies: [
                {
                  post: {
                    author: { handle: 'ben.example.org', displayName: '' },
                    record: { text: 'On my way', createdAt: '2024-04-01T11:05:00Z' },
                  },
                  replies: [],
                },
              ],
            },
          },
        },
    },
    title: 'Ada Marsh',
    author: 'Ada Marsh',
    published: '2024-04-01',
    lines: ['High water at noon.', 'Bring boots', '## Replies', '**ben.example.org**', 'On my way'],
  },
  discourse: {
    page: 'https://forum.example.org/t/boots-for-mud/88',
    own: { body: SHELL },
    answers: {
      'https://forum.example.org/t/88.json': {
        body: {
          id: 88,
          title: 'Boots for mud',
          created_at: '2022-02-02T10:00:00.000Z',
          tags: ['gear'],
          details: { created_by: { username: 'ada', name: 'Ada Marsh' } },
          post_stream: {
            posts: [
              {
                id: 1,
                username: 'ada',
                name: 'Ada Marsh',
                created_at: '2022-02-02T10:00:00.000Z',
                cooked: '<p>Which boots?</p>',
              },
              {
                id: 2,
                username: 'ben',
                name: '',
                created_at: '2022-02-03T10:00:00.000Z',
                cooked: '<p>Tall <a href="/t/waders/9">ones</a>.</p>',
              },
            ],
          },
        },
      },
    },
    title: 'Boots for mud',
    author: 'Ada Marsh',
    published: '2022-02-02',
    lines: [
      '**Ada Marsh**, 2022-02-02',
      'Which boots?',
      '**ben**, 2022-02-03',
      'Tall [ones](https://forum.example.org/t/waders/9).',
    ],
  },
  mastodon: {
    page: 'https://social.example.org/@ada/109876543210',
    own: { body: SHELL },
    answers: {
      'https://social.example.org/api/v1/statuses/109876543210': {
        body: {
          id: '109876543210',
          created_at: '2023-02-03T04:05:06.000Z',
          language: 'en',
          content: '<p>Spring tide today. <a href="https://tides.example.org/">More</a></p>',
          account: { acct: 'ada', display_name: 'Ada Marsh' },
          media_attachments: [],
          card: null,
        },
      },
      'https://social.example.org/api/v1/statuses/109876543210/context': {
        body: {
          ancestors: [],
          descendants: [
            {
              content: '<p>Nice.</p>',
              created_at: '2023-02-04T00:00:00.000Z',
              account: { acct: 'ben', display_name: 'Ben' },
            },
          ],
        },
      },
    },
    title: 'Ada Marsh',
    author: 'Ada Marsh',
    published: '2023-02-03',
    lines: [
      'Spring tide today. [More](https://tides.example.org/)',
      '## Replies',
      '**Ben**, 2023-02-04',
      'Nice.',
    ],
  },
  wordpress: {
    page: 'https://blog.example.org/2020/tides/',
    own: {
      body: SHELL.replace(
        '</head>',
        '<link rel="alternate" title="JSON" type="application/json" href="https://blog.example.org/wp-json/wp/v2/posts/17"><meta name="author" content="Ada Marsh"></head>',
      ),
    },
    answers: {
      'https://blog.example.org/wp-json/wp/v2/posts/17': {
        body: {
          id: 17,
          date: '2020-05-06T07:08:09',
          modified: '2020-06-01T00:00:00',
          title: { rendered: 'Tides &#8211; a primer' },
          content: { rendered: '<h2>Why</h2>\n<p>The moon pulls.</p>', protected: false },
        },
      },
    },
    title: 'Tides – a primer',
    author: 'Ada Marsh',
    published: '2020-05-06',
    lines: ['# Tides – a primer', '## Why', 'The moon pulls.'],
  },
};
