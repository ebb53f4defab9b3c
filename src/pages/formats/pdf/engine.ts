import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { init } from '@embedpdf/pdfium';
import { createFetchFailure } from '../../../contract/errors.ts';

/** Memory of the engine, in which everything that a file unpacks to has to fit. */
const ENGINE_BYTES_MAX = 268_435_456;
/** Longest text that a name, an address or a title may have. */
const TEXT_BYTES_MAX = 16_384;
const SCRATCH_BYTES = 64;
/** FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of the engine. */
const LOCKED = new Set([4, 5]);

type WasmMemory = { buffer: ArrayBuffer; grow(pages: number): number };
type Wasm = {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: object };
  RuntimeError: new (message?: string) => Error;
};
/** Node declares its types only together with those of browsers, which the project does without. */
const { WebAssembly } = globalThis as unknown as { WebAssembly: Wasm };

/** The functions of the engine that we call; handles, addresses and counts are numbers, 0 is none. */
type EngineFunctions = Record<
  | 'FPDFAction_GetDest'
  | 'FPDFAction_GetType'
  | 'FPDFAction_GetURIPath'
  | 'FPDFBookmark_GetFirstChild'
  | 'FPDFBookmark_GetNextSibling'
  | 'FPDFBookmark_GetTitle'
  | 'FPDFCatalog_GetLanguage'
  | 'FPDFDest_GetDestPageIndex'
  | 'FPDFFont_GetBaseFontName'
  | 'FPDFFont_GetFlags'
  | 'FPDFFont_GetWeight'
  | 'FPDFLink_Enumerate'
  | 'FPDFLink_GetAction'
  | 'FPDFLink_GetAnnotRect'
  | 'FPDFLink_GetDest'
  | 'FPDFPageObj_GetType'
  | 'FPDFPage_CountObjects'
  | 'FPDFPage_GetObject'
  | 'FPDFTextObj_GetFont'
  | 'FPDFTextObj_GetFontSize'
  | 'FPDFText_ClosePage'
  | 'FPDFText_CountChars'
  | 'FPDFText_GetCharOrigin'
  | 'FPDFText_GetLooseCharBox'
  | 'FPDFText_GetMatrix'
  | 'FPDFText_GetTextObject'
  | 'FPDFText_GetUnicode'
  | 'FPDFText_LoadPage'
  | 'FPDF_ClosePage'
  | 'FPDF_GetLastError'
  | 'FPDF_GetMetaText'
  | 'FPDF_GetPageCount'
  | 'FPDF_LoadMemDocument'
  | 'FPDF_LoadPage'
  | 'PDFiumExt_Init'
  | 'malloc',
  (...numbers: number[]) => number
>;

/** An opened PDF. Pages that are read are closed at once; the rest goes with the engine. */
export type PdfEngine = {
  call: EngineFunctions;
  document: number;
  /** Address of a few numbers that a call writes, and readers of them by index. */
  scratch: number;
  float(index: number): number;
  double(index: number): number;
  integer(index: number): number;
  /** Sets the scratch numbers to 0. */
  clear(): void;
  /** A text that a call writes to a buffer and length, as UTF-16 or UTF-8. */
  text(encoding: 'utf-16le' | 'utf-8', write: (buffer: number, bytes: number) => number): string;
  /** The address of a text that a call reads. */
  place(text: string): number;
};

/** Compiled with the first file; every file gets an instance of its own, so that none sees what another left. */
let compiled: object | null = null;

/** Opens a PDF in a new engine. Throws `fetch_failed` for what is locked, broken or too large. */
export async function openPdf(bytes: Uint8Array): Promise<PdfEngine> {
  compiled ??= new WebAssembly.Module(
    readFileSync(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm'))),
  );
  const { call, memory } = await startEngine(compiled);
  const place = (data: Uint8Array): number => {
    const address = call.malloc(data.length);
    if (address === 0) throw tooLarge();
    new Uint8Array(memory.buffer, address, data.length).set(data);
    return address;
  };
  const document = call.FPDF_LoadMemDocument(place(bytes), bytes.length, 0);
  if (document === 0) throw notOpened(call.FPDF_GetLastError());
  const scratch = place(new Uint8Array(SCRATCH_BYTES));
  const buffer = place(new Uint8Array(TEXT_BYTES_MAX));
  // The memory moves when it grows.
  let [floats, doubles, integers] = [new Float32Array(), new Float64Array(), new Int32Array()];
  const look = (): void => {
    if (floats.buffer === memory.buffer) return;
    floats = new Float32Array(memory.buffer, scratch, SCRATCH_BYTES / 4);
    doubles = new Float64Array(memory.buffer, scratch, SCRATCH_BYTES / 8);
    integers = new Int32Array(memory.buffer, scratch, SCRATCH_BYTES / 4);
  };
  const read =
    (from: () => ArrayLike<number>) =>
    (index: number): number => {
      look();
      return from()[index] ?? 0;
    };
  return {
    call,
    document,
    scratch,
    float: read(() => floats),
    double: read(() => doubles),
    integer: read(() => integers),
    clear: () => new Uint8Array(memory.buffer, scratch, SCRATCH_BYTES).fill(0),
    text(encoding, write) {
      const length = Math.min(write(buffer, TEXT_BYTES_MAX), TEXT_BYTES_MAX);
      const text = new TextDecoder(encoding).decode(new Uint8Array(memory.buffer, buffer, length));
      return text.replace(/\0[\s\S]*$/, '');
    },
    place: (text) => place(new TextEncoder().encode(`${text}\0`)),
  };
}

async function startEngine(module: object): Promise<{ call: EngineFunctions; memory: WasmMemory }> {
  const silent = (): void => {};
  const { pdfium } = await init({
    print: silent,
    printErr: silent,
    instantiateWasm(imports: object, done: (instance: { exports: object }) => void) {
      const instance = new WebAssembly.Instance(module, imports);
      done(instance);
      return instance.exports;
    },
  });
  // The package declares two of the functions that the module exports.
  const exported = pdfium.wasmExports as unknown as EngineFunctions & { memory: WasmMemory };
  boundMemory(exported.memory);
  exported.PDFiumExt_Init();
  return { call: exported, memory: exported.memory };
}

/** The engine is told that there is no more memory, and gives up. */
function boundMemory(memory: WasmMemory): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * 65_536 > ENGINE_BYTES_MAX) throw new RangeError('memory bound');
    return grow(pages);
  };
}

function notOpened(error: number): Error {
  return LOCKED.has(error)
    ? createFetchFailure('undecodable', 'the PDF is encrypted: it opens only with a password')
    : createFetchFailure('undecodable', 'the PDF is damaged and cannot be opened');
}

/** Whether the engine ended: for want of memory, or by a fault of its own. */
export const isEngineEnd = (error: unknown): boolean => error instanceof WebAssembly.RuntimeError;

/** The failure of a file that the engine has no memory for. */
export function tooLarge(): Error {
  return createFetchFailure('undecodable', 'the PDF needs more memory to read than a page may use');
}
