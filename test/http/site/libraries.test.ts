import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { writeLibraries } from '../../fixtures/written-libraries.ts';
import { type RealServed, serveReal } from '../../harness.ts';

const hooks = (version: string): string =>
  `# Hooks\n\nA hook of <b>version ${version}</b> runs before each request:\n\n\`\`\`js\nserver.addHook('on${version}', check);\n\`\`\`\n`;

describe('the page of libraries', () => {
  let own: RealServed;
  let sold: RealServed;
  before(async () => {
    own = await serveReal({ METERING: 'off' });
    sold = await serveReal();
    for (const served of [own, sold])
      await writeLibraries(served, [
        { name: 'wader', version: '4.2.0', pages: { 'docs/hooks.md': hooks('four') } },
        { name: 'wader', version: '5.0.1', pages: { 'docs/hooks.md': hooks('five') } },
        {
          ecosystem: 'pypi',
          name: 'tern',
          version: '1.0',
          pages: { 'docs/dive.md': '# Diving\n\nA tern dives for fish.\n' },
        },
        {
          name: '@we/core',
          version: '1.0.0',
          isPrivate: true,
          pages: { 'docs/secret.md': '# Secret\n\nOur hook.\n' },
        },
      ]);
  });
  after(async () => {
    await own.close();
    await sold.close();
  });

  test('lists what is held, with its versions', async () => {
    const { status, text } = await own.get('/libraries');
    assert.equal(status, 200);
    assert.match(text, /<h2>3 libraries are held<\/h2>/);
    assert.match(text, /<option value="npm:wader">wader<\/option>/);
    assert.match(text, /href="\/libraries\?library=npm%3Awader&amp;version=4\.2\.0"/);
  });

  test('shows passages with code, marked words and their source, without a script', async () => {
    const { text } = await own.get('/libraries?q=hook+before+request&library=npm%3Awader');
    assert.match(
      text,
      /<pre tabindex="0"><code>server\.addHook\(&apos;onfive&apos;, check\);|server\.addHook\(.{1,6}onfive/,
    );
    assert.match(text, /<mark>hook<\/mark>/i);
    assert.match(text, /<h3><a href="https:\/\/code\.example\.org\/wader\/blob\/v5\.0\.1\/docs\/hooks\.md"/);
    assert.ok(
      !text.includes('onfour') && !text.includes('<b>version'),
      'another version, or markup of a page',
    );
  });

  test('switches the version', async () => {
    const { text } = await own.get('/libraries?q=hook+before+request&library=npm%3Awader&version=4.2.0');
    assert.ok(text.includes('onfour') && !text.includes('onfive'));
    assert.match(text, /<option value="4\.2\.0" selected>/);
    const other = await own.get('/libraries?q=tern+dives&library=pypi%3Atern&version=4.2.0');
    assert.match(other.text, /<h2>One passage<\/h2>/, 'a version of the library before has no effect');
  });

  test('a part is only the results', async () => {
    const { text } = await own.get('/libraries?q=hook+before+request&part=results');
    assert.ok(text.includes('class="hits"') && !text.includes('<html'));
  });

  test('an unknown library is told', async () => {
    const { status, text } = await own.get('/libraries?q=hook&library=npm%3Aexpress');
    assert.equal(status, 422);
    assert.match(text, /no library .{1,6}npm:express.{1,6} is held/);
  });

  test('where calls are counted no script searches while somebody types', async () => {
    const [free, counted] = [await own.get('/libraries'), await sold.get('/libraries')];
    assert.match(free.headers.get('content-security-policy') ?? '', /connect-src 'self'/);
    assert.doesNotMatch(counted.headers.get('content-security-policy') ?? '', /connect-src/);
    assert.ok(!counted.text.includes('PAUSE_MS'));
    assert.ok(free.text.includes('@we/core') && !counted.text.includes('@we/core'), 'private libraries');
  });
});
