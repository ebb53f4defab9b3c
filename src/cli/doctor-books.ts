import type { Config } from '../app/config.ts';
import { booksPlace, openBooksOf } from '../app/open-ledger-store.ts';
import { booksServer } from '../platform/store/ledger/books-server.ts';
import { failure, ok, type Verdict, warning } from './verdict.ts';

/** Whether keys and credits can be reached, and what keeps them. Opening them brings their tables up to date. */
export async function checkBooks(config: Config): Promise<Verdict> {
  const books = await openBooksOf(config).catch((error: Error) => error);
  if (books instanceof Error) return failure(books.message);
  try {
    const { name, weakness } = await booksServer(books);
    const text = `${name}, ${booksPlace(config)}`;
    return weakness === null ? ok(`${text}, up to date`) : warning(`${text}: ${weakness}`);
  } finally {
    await books.close();
  }
}
