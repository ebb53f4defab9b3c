import { type FailureCode, STATUS_OF } from '../../contract/errors.ts';
import type { ErrorFormat } from '../calls/error-format.ts';

/** Codes of JSON-RPC where it has one; the rest are the server's own. */
const SERVER_ERROR = -32_000;
const CODES: Partial<Record<FailureCode, number>> = { validation_error: -32_600, internal: -32_603 };
/** The transport of the protocol knows 400 for what cannot be read. */
const BAD_REQUEST = 400;

/** What fails before the protocol has read a message, as a JSON-RPC error that belongs to no request. */
export const protocolErrorFormat: ErrorFormat = {
  word({ code, message }) {
    return {
      status: code === 'validation_error' ? BAD_REQUEST : STATUS_OF[code],
      headers: {},
      body: {
        jsonrpc: '2.0',
        error: { code: CODES[code] ?? SERVER_ERROR, message: `${code}: ${message}` },
        id: null,
      },
    };
  },
};
