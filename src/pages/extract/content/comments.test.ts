import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml } from '../extract-html.ts';
import { parseTree } from '../parse/build-tree.ts';
import { collectCommentTexts, hasSeparateComments } from './comments.ts';
import { buildPageView } from './page-view.ts';

const SENTENCE = 'The ferry left the harbour at dawn and reached the island before the storm came in. ';
const TITLE = '<title>Night ferry to the island</title>';
const HEADING = '<h1>Night ferry to the island</h1>';
const ARTICLE = `${HEADING}<p>${SENTENCE.repeat(5)}</p><p>${SENTENCE.repeat(4)}</p>`;

function commentsIn(html: string, url = 'https://a.example/ferry'): { texts: string; apart: boolean } {
  const view = buildPageView(parseTree(html), url);
  const texts = collectCommentTexts(view).map(({ text }) => text.trim());
  return { texts: texts.join(' '), apart: hasSeparateComments(view) };
}

describe('comments below an article', () => {
  test('by the name of their element', () => {
    const { texts, apart } = commentsIn(
      `${TITLE}${ARTICLE}<div class="comments-area"><ol><li class="comment">Fine trip.</li></ol></div><p>After</p>`,
    );
    assert.equal(texts, 'Fine trip.');
    assert.ok(apart);
  });

  test('by their heading, to the end of the element around it', () => {
    const page = `${TITLE}<div>${ARTICLE}<h3>3 Responses to “Night ferry”</h3><p>Anna says:</p><p>Fine trip.</p></div><p>After</p>`;
    assert.equal(commentsIn(page).texts, '3 Responses to “Night ferry” Anna says: Fine trip.');
  });

  test('by a label that is no heading', () => {
    const page = `${TITLE}<div>${ARTICLE}<p class="posted"><b>Comments</b></p><p>Fine trip.</p><p>by Anna on 3 March 2011</p></div>`;
    assert.equal(commentsIn(page).texts, 'Fine trip. by Anna on 3 March 2011');
  });

  test('without forms and controls', () => {
    const { texts } = commentsIn(
      `${TITLE}${ARTICLE}<div id="comments"><p>Fine trip.</p><a href="#">Reply</a><form><p>Your e-mail</p></form></div>`,
    );
    assert.equal(texts, 'Fine trip.');
  });
});

describe('what are no comments', () => {
  const none: [about: string, html: string][] = [
    ['the article itself', `${TITLE}<div class="post has-comments comments-open">${ARTICLE}</div>`],
    ['an article in an element of that name', `${TITLE}<div id="comments">${ARTICLE}</div>`],
    ['a link to them above the text', `${TITLE}<div>${HEADING}<a href="#c">Comments</a>${ARTICLE}</div>`],
    ['the newest of the site', `${TITLE}${ARTICLE}<div class="widget_recent_comments">Anna on Ferries</div>`],
    ['a section of a paper', `${TITLE}${ARTICLE}<h2>Discussion</h2><p>${SENTENCE}</p>`],
    ['a question that begins alike', `${TITLE}${ARTICLE}<h2>Comment choisir un bateau ?</h2><p>Ainsi.</p>`],
  ];
  const chapter = `<p>${SENTENCE.repeat(3)}</p><pre>-- a remark</pre><p>${SENTENCE.repeat(3)}</p>`;
  for (const heading of [
    '3.1.3 Comments',
    '12 Comments',
    'Responses',
    'Response',
    'Views',
    'Reply',
    'Reactions',
    'Comments (since 2.1)',
    '12.11 Comments in Rules',
    '3 Comments in Rules',
  ]) {
    none.push([
      `a chapter "${heading}" of a flat manual`,
      `${TITLE}${ARTICLE}<h3>${heading}</h3>${chapter.repeat(9)}`,
    ]);
    none.push([
      `a chapter "${heading}" in an element that is named for it`,
      `${TITLE}${ARTICLE}<section id="${heading.toLowerCase().replaceAll(' ', '-')}"><h3>${heading}</h3>${chapter}</section>`,
    ]);
  }
  none.push(['a label in a reference', `${TITLE}${ARTICLE}<p><b>Comments</b></p>${chapter}`]);
  none.push([
    'a short chapter',
    `${TITLE}${ARTICLE}<section id="comments"><h2>Comments</h2><p>They begin with #.</p></section>`,
  ]);
  none.push([
    'a chapter that names a day',
    `${TITLE}${ARTICLE}<h2>Comments</h2>${chapter}<p>Since 3 March 2011.</p>${chapter.repeat(3)}`,
  ]);
  none.push([
    'responses of an interface',
    `${TITLE}${ARTICLE}<h3 class="field-label">Responses</h3><h4>200</h4><p>The ferry.</p><h4>404</h4><p>None.</p>`,
  ]);
  for (const [about, html] of none) test(about, () => assert.equal(commentsIn(html).texts, ''));
});

describe('comments that are the content', () => {
  const thread = `${TITLE}<h1>Night ferry to the island</h1><div class="comment">${SENTENCE.repeat(3)}</div>`;
  test('of a page with little else', () => assert.ok(!commentsIn(thread).apart));

  const long = `${TITLE}${ARTICLE}<div class="comment">${SENTENCE.repeat(3)}</div>`;
  test('of a forum', () => assert.ok(!commentsIn(long, 'https://forum.example/t/12').apart));
  test('but not of the same page elsewhere', () => assert.ok(commentsIn(long).apart));
});

describe('a flat manual keeps every paragraph around a heading that could be one of comments', () => {
  const topics = ['harbour', 'engine', 'ticket', 'weather', 'cabin', 'timetable', 'lifeboat', 'signal'];
  const paragraphOf = (topic: string, number: number): string =>
    `Rule ${number} on the ${topic} says how the ${topic} is kept, who looks after the ${topic}, and what the crew must do before the ${topic} is used again.`;
  const parts = topics.map((topic) => ({
    topic,
    paragraphs: [1, 2, 3, 4].map((number) => paragraphOf(topic, number)),
  }));
  for (const heading of [
    'Comments',
    'Responses',
    'Response',
    'Views',
    'Reply',
    'Replies',
    'Reactions',
    'Discussion',
  ])
    for (const [level, number] of [
      ['h2', ''],
      ['h3', '3.1.3 '],
      ['h4', '12 '],
    ])
      test(`<${level}>${number}${heading}</${level}>`, () => {
        const body = parts.map(
          ({ topic, paragraphs }, place) =>
            `<${level}>${number}${place === 3 ? heading : topic}</${level}>${paragraphs.map((text) => `<p>${text}</p>`).join('')}<pre>use ${topic};</pre>`,
        );
        const page = `<title>Ferry manual</title><body><h1>Ferry manual</h1>${body.join('')}</body>`;
        const { markdown } = extractHtml(page, 'https://a.example/ferry.html');
        const lost = parts.flatMap(({ paragraphs }) => paragraphs.filter((text) => !markdown.includes(text)));
        assert.deepEqual(lost, []);
      });
});
