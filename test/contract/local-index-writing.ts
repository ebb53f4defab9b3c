/** Writes pages into an index without end and prints each address once it is acknowledged: local-index-writing.ts <path> <round> */
import { createLocalIndex } from '../../src/index/local-index.ts';
import { createLog } from '../../src/platform/log.ts';

const WRITERS = 4;
const [path = '', round = ''] = process.argv.slice(2);
const index = await createLocalIndex({ path, log: createLog('silent') });
await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));

async function write(writer: number): Promise<void> {
  for (let number = 0; ; number += 1) {
    // Every third page replaces one of an earlier round.
    const name = number % 3 === 0 ? `shared-${writer}-${number}` : `${round}-${writer}-${number}`;
    const url = `https://h${number % 5}.example.com/${name}`;
    const markdown = `# ${name}\n\n${`Words of round ${round} and page ${number}. `.repeat(20)}`;
    await index.put([
      {
        url,
        title: name,
        headings: [name],
        markdown,
        publishedDay: null,
        language: 'en',
        site: null,
        author: null,
        rawChars: markdown.length,
        fetchedAt: number,
      },
    ]);
    // To a pipe this is written at once, and waits where the reader is slow.
    process.stdout.write(`${url}\n`);
  }
}
