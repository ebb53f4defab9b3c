import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import type { ReadOperation } from '../../search/read.ts';
import type { PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { buildIncompleteField } from '../calls/incomplete.ts';
import { parseBody } from '../calls/json-body.ts';
import { NO_ADDRESS, toGivenPage, uploadFields } from '../calls/upload.ts';
import { query } from './content-fields.ts';
import { buildCostDollars } from './cost.ts';

export const ParseBody = z.object({
  ...uploadFields,
  q: query
    .meta({ description: 'A question or topic: only the parts that belong to it are returned.' })
    .optional(),
});

const KNOWN_FIELDS = buildKnownFields([...Object.keys(ParseBody.shape), 'store']);

/** POST /v1/parse: a file as Markdown. Errors: 422 validation_error, also for a file that cannot be read. */
export function createParseHandler(read: ReadOperation): PricedRoute['prepare'] {
  return ({ body, requestId, tenant }) => {
    const { q: question = null, ...upload } = parseBody(ParseBody, body);
    const given = toGivenPage(upload);
    const ignored = findIgnoredFields(body, KNOWN_FIELDS);
    return {
      most: PRICES.read,
      async work(signal) {
        const page = await read({ url: NO_ADDRESS, given, question, tenant, signal, keep: false });
        const { title, markdown, article, rawTokens, outputTokens, incomplete } = page;
        return {
          used: incomplete.length === 0 ? PRICES.read : 0,
          cost: buildCostDollars,
          cache: page.cache,
          incomplete,
          headers: buildIgnoredHeader(ignored),
          body: {
            requestId,
            title: title || upload.filename,
            markdown,
            author: article.author ?? null,
            publishedDate: article.published?.day ?? null,
            language: article.language ?? null,
            tokens: { raw: rawTokens, output: outputTokens },
            service: { ignored, ...buildIncompleteField(incomplete) },
          },
        };
      },
    };
  };
}
