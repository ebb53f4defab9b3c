import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { lexer, parse, type Token, type Tokens, walkTokens } from 'marked';
import { readMarkdown } from '../../src/pages/formats/markdown/read-markdown.ts';

/** Every README of the packages that are installed: several hundred Markdown pages by as many authors. */
const ROOT = join(import.meta.dirname, '../../node_modules');
const FILES = globSync('{*,@*/*}/{readme,README,Readme}*.{md,markdown}', { cwd: ROOT }).sort();
const BASE = 'https://raw.githubusercontent.com/owner/repository/main/README.md';

const read = (file: string) => {
  const source = readFileSync(join(ROOT, file), 'utf8').replace(/\r\n?/g, '\n');
  return { source, article: readMarkdown(source, BASE) };
};

function tokensOf(markdown: string): Token[] {
  const found: Token[] = [];
  walkTokens(lexer(markdown), (token) => void found.push(token));
  return found;
}

const isCode = (token: Token): token is Tokens.Code => token.type === 'code';
const isLink = (token: Token): token is Tokens.Link | Tokens.Image =>
  token.type === 'link' || token.type === 'image';

/** Words that a reader sees, without those of pictures. */
const words = (markdown: string): string[] =>
  String(parse(markdown))
    .replace(/<\/?su[bp]>/g, '')
    .normalize('NFKC')
    .replace(/<!--[\s\S]*?-->|<(script|style)\b[\s\S]*?<\/\1>|<[^<>]*>/g, ' ')
    .replace(/&(?:#\d+|#x[\da-f]+|\w+);/gi, ' ')
    .toLowerCase()
    .match(/[\p{L}\p{N}]{2,}/gu) ?? [];

describe('READMEs of installed packages', () => {
  test('there are hundreds', () => assert.ok(FILES.length > 150, `${FILES.length} in ${ROOT}`));

  test('code blocks are the same, byte for byte', () => {
    for (const file of FILES) {
      const { source, article } = read(file);
      const wanted = tokensOf(source)
        .filter(isCode)
        .map(({ text, lang }) => `${lang ?? ''}\n${text.trimEnd()}`);
      const found = tokensOf(article.markdown)
        .filter(isCode)
        .map(({ text, lang }) => `${lang ?? ''}\n${text.trimEnd()}`);
      let at = 0;
      for (const code of wanted) {
        const place = found.indexOf(code, at);
        assert.ok(place !== -1, `${file}: lost or changed\n${code}`);
        at = place + 1;
      }
    }
  });

  test('no word is lost', () => {
    for (const file of FILES) {
      const { source, article } = read(file);
      const found = new Map<string, number>();
      for (const word of words(article.markdown)) found.set(word, (found.get(word) ?? 0) + 1);
      const lost = words(source).filter((word) => {
        const left = found.get(word) ?? 0;
        found.set(word, left - 1);
        return left <= 0;
      });
      assert.deepEqual(lost, [], file);
    }
  });

  test('links and pictures are absolute, references resolved, badges gone', () => {
    for (const file of FILES) {
      const { markdown } = read(file).article;
      for (const { href, type } of tokensOf(markdown).filter(isLink)) {
        assert.match(href, /^(?:[a-z][a-z\d+.-]*:|#)/i, `${file}: ${href}`);
        if (type !== 'link') assert.doesNotMatch(href, /shields\.io|badge\.fury|travis-ci/, file);
      }
      assert.deepEqual(Object.keys(lexer(markdown).links), [], file);
    }
  });

  test('no HTML is left but for raised and lowered text', () => {
    for (const file of FILES) {
      const left = tokensOf(read(file).article.markdown)
        .filter(({ type }) => type === 'html')
        .filter(({ raw }) =>
          /^<\/?(?:a|b|br|div|details|em|h\d|i|img|p|picture|span|strong|table|td|tr|!--)\b/i.test(raw),
        );
      assert.deepEqual(
        left.map(({ raw }) => raw),
        [],
        file,
      );
    }
  });

  test('the title is a plain text', () => {
    for (const file of FILES) {
      const { title } = read(file).article;
      assert.ok(
        title !== '' && !/[[\]<>`]|&\w+;/.test(title.replace(/\[[\w, ]*\]/g, '')),
        `${file}: ${title}`,
      );
    }
  });

  test('what was read once stays the same', () => {
    for (const file of FILES) {
      const { markdown } = read(file).article;
      assert.equal(readMarkdown(markdown, BASE).markdown, markdown, file);
    }
  });
});
