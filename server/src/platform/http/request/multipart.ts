import { invalid } from '../../../kernel/errors/errors.ts';
import { tooMany } from '../../../kernel/errors/field-errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import { findUnsupportedCharacter } from './text-scan.ts';

/** One part of a form (RFC 7578). It is a file if it has a file name, otherwise a field. */
export interface Part {
  readonly fileName: string | null;
  /** The part's Content-Type as sent. */
  readonly mediaType: string | null;
  readonly content: Buffer;
}

/** The parts, by the names of their fields. */
export type MultipartForm = ReadonlyMap<string, Part>;

const MAXIMUM_PARTS = 20;
const MAXIMUM_HEADER_BYTES = 2_048;

const LINE = Buffer.from('\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');

const refuse = (cause: Problem) => invalid('body', cause);

/** A boundary of 1 to 70 characters from the set of RFC 2046 5.1.1. */
const BOUNDARY =
  /(?:^|;)[ \t]*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+./:=?-]{1,70}))[ \t]*(?:;|$)/i;

function boundaryOf(contentType: string): Buffer {
  const match = BOUNDARY.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw refuse('must have a boundary in its Content-Type.');
  return Buffer.from(`--${boundary}`, 'latin1');
}

const unquote = (text: string): string => text.replaceAll(/\\(["\\])/g, '$1').replaceAll('%22', '"');

/** Reads a parameter of Content-Disposition. Its value may be quoted, with `"` written as `\"` or `%22`. */
function parameterOf(disposition: string, name: string): string | null {
  const pattern = new RegExp(`;[ \\t]*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;"\\s]+))`, 'i');
  const match = pattern.exec(disposition);
  return match === null ? null : unquote(match[1] ?? match[2] ?? '');
}

function headersOf(block: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of block.toString('utf8').split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name === '' || headers.has(name)) throw refuse('must have well-formed headers in each part.');
    headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

function readPart(raw: Buffer): readonly [name: string, part: Part] {
  const end = raw.indexOf(BLANK_LINE);
  if (end < 0 || end > MAXIMUM_HEADER_BYTES) throw refuse('must have headers in each part.');
  const headers = headersOf(raw.subarray(0, end));
  const disposition = headers.get('content-disposition') ?? '';
  const name = /^form-data[ \t]*;/i.test(disposition) ? parameterOf(disposition, 'name') : null;
  if (name === null || name === '' || findUnsupportedCharacter(name)) throw refuse('must have a name for each part.');
  // RFC 7578 4.7 deprecates transfer encodings, so no part is decoded. An encoded part is refused, because it would be
  // stored in its encoded form.
  if (headers.has('content-transfer-encoding')) {
    const encoding = headers.get('content-transfer-encoding')?.toLowerCase();
    if (encoding !== 'binary' && encoding !== '8bit' && encoding !== '7bit')
      throw refuse('must not contain an encoded part.');
  }
  const content = raw.subarray(end + BLANK_LINE.length);
  return [
    name,
    { fileName: parameterOf(disposition, 'filename'), mediaType: headers.get('content-type') ?? null, content },
  ];
}

export function parseMultipart(body: Buffer, contentType: string): MultipartForm {
  const delimiter = boundaryOf(contentType);
  const parts = new Map<string, Part>();
  let position = body.indexOf(delimiter);
  // Text before the first boundary is ignored (RFC 2046 5.1.1), but the boundary must begin a line.
  const isLine = position === 0 || body.subarray(Math.max(0, position - LINE.length), position).equals(LINE);
  if (!isLine) position = -1;
  for (;;) {
    if (position < 0) throw refuse('must be well-formed multipart/form-data.');
    const start = position + delimiter.length;
    if (body.subarray(start, start + 2).toString('latin1') === '--') return parts;
    if (!body.subarray(start, start + LINE.length).equals(LINE))
      throw refuse('must be well-formed multipart/form-data.');
    const next = body.indexOf(Buffer.concat([LINE, delimiter]), start);
    if (next < 0) throw refuse('must end with its last boundary.');
    const [name, part] = readPart(body.subarray(start + LINE.length, next));
    if (parts.has(name)) throw refuse(`must not repeat the part ${name}.`);
    if (parts.size >= MAXIMUM_PARTS) throw tooMany('body', MAXIMUM_PARTS, 'parts');
    parts.set(name, part);
    position = next + LINE.length;
  }
}
