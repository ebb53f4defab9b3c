import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { init } from '@embedpdf/pdfium';
import { createFetchFailure } from '../../../contract/errors.ts';

/** Maximum memory of the engine, in which everything that a file unpacks to has to fit. */
const ENGINE_BYTES_MAX = 268_435_456;
/** Maximum length of a name, an address or a title. */
const TEXT_BYTES_MAX = 16_384;
const SCRATCH_BYTES = 64;
/** The engine's FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY. */
const LOCKED = new Set([4, 5]);

type WasmMemory = { buffer: ArrayBuffer; grow(pages: number): number };
type Wasm = {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: object };
  RuntimeError: new (message?: string) => Error;
};
/** Node declares these types only together with those of browsers, which the project does not load. */
const { WebAssembly } = globalThis as unknown as { WebAssembly: Wasm };

/** The functions of the engine that we call; handles, addresses and counts are numbers, 0 means none. */
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
  | 'FPDFFormObj_CountObjects'
  | 'FPDFFormObj_GetObject'
  | 'FPDFLink_Enumerate'
  | 'FPDFLink_GetAction'
  | 'FPDFLink_GetAnnotRect'
  | 'FPDFLink_GetDest'
  | 'FPDFPageObj_GetBounds'
  | 'FPDFPageObj_GetMatrix'
  | 'FPDFPageObj_GetType'
  | 'FPDFPage_CountObjects'
  | 'FPDFPage_GetObject'
  | 'FPDFPathSegment_GetPoint'
  | 'FPDFPathSegment_GetType'
  | 'FPDFPath_CountSegments'
  | 'FPDFPath_GetPathSegment'
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

/** An opened PDF. Pages are closed once they are read; everything else is freed with the engine. */
export type PdfEngine = {
  call: EngineFunctions;
  document: number;
  /** Address of a few numbers that a call writes; the functions below read them by index. */
  scratch: number;
  float(index: number): number;
  double(index: number): number;
  integer(index: number): number;
  /** Sets the scratch numbers to 0. */
  clear(): void;
  /** Returns a text that a call writes to a buffer of a given length, as UTF-16 or UTF-8. */
  text(encoding: 'utf-16le' | 'utf-8', write: (buffer: number, bytes: number) => number): string;
  /** Copies a text into the engine's memory for a call to read; returns its address. */
  place(text: string): number;
};

/** The module, compiled with the first file; every file gets a new instance, so that none sees data of another. */
let compiled: object | null = null;

/** Opens a PDF in a new engine. Throws `fetch_failed` for files that are locked, broken or too large. */
export async function openPdf(bytes: Uint8Array): Promise<PdfEngine> {
  compiled ??= new WebAssembly.Module(
    readFileSync(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm'))),
  );
  const { call, memory } = await startEngine(compiled);
  const copyToMemory = (data: Uint8Array): number => {
    const address = call.malloc(data.length);
    if (address === 0) throw createMemoryFailure();
    new Uint8Array(memory.buffer, address, data.length).set(data);
    return address;
  };
  const document = call.FPDF_LoadMemDocument(copyToMemory(bytes), bytes.length, 0);
  if (document === 0) throw createOpenFailure(call.FPDF_GetLastError());
  const scratch = copyToMemory(new Uint8Array(SCRATCH_BYTES));
  const buffer = copyToMemory(new Uint8Array(TEXT_BYTES_MAX));
  // The buffer of the memory is replaced when it grows.
  let [floats, doubles, integers] = [new Float32Array(), new Float64Array(), new Int32Array()];
  const refreshViews = (): void => {
    if (floats.buffer === memory.buffer) return;
    floats = new Float32Array(memory.buffer, scratch, SCRATCH_BYTES / 4);
    doubles = new Float64Array(memory.buffer, scratch, SCRATCH_BYTES / 8);
    integers = new Int32Array(memory.buffer, scratch, SCRATCH_BYTES / 4);
  };
  const createReader =
    (from: () => ArrayLike<number>) =>
    (index: number): number => {
      refreshViews();
      return from()[index] ?? 0;
    };
  return {
    call,
    document,
    scratch,
    float: createReader(() => floats),
    double: createReader(() => doubles),
    integer: createReader(() => integers),
    clear: () => new Uint8Array(memory.buffer, scratch, SCRATCH_BYTES).fill(0),
    text(encoding, write) {
      const length = Math.min(write(buffer, TEXT_BYTES_MAX), TEXT_BYTES_MAX);
      const text = new TextDecoder(encoding).decode(new Uint8Array(memory.buffer, buffer, length));
      return text.replace(/\0[\s\S]*$/, '');
    },
    place: (text) => copyToMemory(new TextEncoder().encode(`${text}\0`)),
  };
}

async function startEngine(module: object): Promise<{ call: EngineFunctions; memory: WasmMemory }> {
  const ignoreOutput = (): void => {};
  const { pdfium } = await init({
    print: ignoreOutput,
    printErr: ignoreOutput,
    instantiateWasm(imports: object, done: (instance: { exports: object }) => void) {
      const instance = new WebAssembly.Instance(module, imports);
      done(instance);
      return instance.exports;
    },
  });
  // The package declares two of the functions that the module exports.
  const exported = pdfium.wasmExports as unknown as EngineFunctions & { memory: WasmMemory };
  limitMemory(exported.memory);
  exported.PDFiumExt_Init();
  return { call: exported, memory: exported.memory };
}

/** Limits the engine's memory: beyond the bound, growing it fails and the engine gives up. */
function limitMemory(memory: WasmMemory): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * 65_536 > ENGINE_BYTES_MAX) throw new RangeError('memory bound');
    return grow(pages);
  };
}

function createOpenFailure(error: number): Error {
  return LOCKED.has(error)
    ? createFetchFailure('undecodable', 'the PDF is encrypted: it opens only with a password')
    : createFetchFailure('undecodable', 'the PDF is damaged and cannot be opened');
}

/** Checks whether the engine crashed, for lack of memory or by its own fault. */
export const isEngineEnd = (error: unknown): boolean => error instanceof WebAssembly.RuntimeError;

/** Creates the failure of a file that needs more memory than the engine may use. */
export function createMemoryFailure(): Error {
  return createFetchFailure('undecodable', 'the PDF needs more memory to read than a page may use');
}
