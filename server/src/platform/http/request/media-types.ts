import { boundedCache } from '../../caches/index.ts';

export type MediaTypeProblem = 'E0000018' | 'E0000019' | 'E0000021' | 'E0000122';

const MAXIMUM_HEADER_LENGTH = 1_024;

const TOKEN_CHARACTERS = "!#$%&'*+.^_`|~\\dA-Za-z-";
const TOKEN = `[${TOKEN_CHARACTERS}]+`;
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const TYPE = new RegExp(`[ \\t]*(${TOKEN})/(${TOKEN})[ \\t]*`, 'y');
// Unquoted values may contain commas, because clients send `svc-response=omitCredentials,omitCredentialsLinks`.
const SINGLE_PARAMETER = new RegExp(`;[ \\t]*(${TOKEN})=([,${TOKEN_CHARACTERS}]+|${QUOTED})[ \\t]*`, 'y');
const LISTED_PARAMETER = new RegExp(`;[ \\t]*(?:(${TOKEN})(?:=(${TOKEN}|${QUOTED}))?[ \\t]*)?`, 'y');
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

interface MediaType {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

const unquote = (value: string): string =>
  value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;

function readMediaType(text: string, start: number, parameter: RegExp): { value: MediaType; end: number } | null {
  const head = matchAt(TYPE, text, start);
  if (head === null) return null;
  const parameters = new Map<string, string>();
  let end = TYPE.lastIndex;
  for (let match = matchAt(parameter, text, end); match !== null; match = matchAt(parameter, text, end)) {
    end = parameter.lastIndex;
    if (match[1] === undefined) continue;
    const name = match[1].toLowerCase();
    if (parameters.has(name)) return null;
    parameters.set(name, unquote(match[2] ?? ''));
  }
  const [type, subtype] = [(head[1] ?? '').toLowerCase(), (head[2] ?? '').toLowerCase()];
  return { value: { type, subtype, parameters }, end };
}

function parseAccept(header: string): MediaType[] | null {
  const ranges: MediaType[] = [];
  let position = 0;
  while (position < header.length) {
    const empty = matchAt(/[ \t]*(?:,|$)/y, header, position);
    if (empty !== null) {
      position += empty[0].length;
      continue;
    }
    const read = readMediaType(header, position, LISTED_PARAMETER);
    if (read === null || (read.end < header.length && header[read.end] !== ',')) return null;
    const { type, subtype, parameters } = read.value;
    if ((type === '*' && subtype !== '*') || !QUALITY.test(parameters.get('q') ?? '1')) return null;
    ranges.push(read.value);
    position = read.end + 1;
  }
  return ranges;
}

function parseContentType(header: string): MediaType | null {
  if (header.length > MAXIMUM_HEADER_LENGTH) return null;
  const read = readMediaType(header, 0, SINGLE_PARAMETER);
  return read === null || read.end !== header.length ? null : read.value;
}

/** Returns how specifically a range matches: 3 for the type itself, 2 for `type/*`, 1 for any type, 0 for no match. */
function specificity(range: MediaType, type: string, subtype: string): number {
  if (range.type === '*') return 1;
  if (range.type !== type) return 0;
  if (range.subtype === '*') return 2;
  return range.subtype === subtype ? 3 : 0;
}

/** Returns null if `produces` is acceptable (RFC 9110 12.5.1). */
export function checkAccept(header: string | undefined, produces: string): MediaTypeProblem | null {
  if (header === undefined || header === produces) return null;
  const name = `${produces} ${header}`;
  const known = judgements.get(name);
  if (known !== undefined) return known.problem;
  const problem = judgeAccept(header, produces);
  if (problem === null) judgements.set(name, { problem });
  return problem;
}

const judgements = boundedCache<string, { readonly problem: MediaTypeProblem | null }>(1_000);

const rangesOf = (header: string): MediaType[] | null =>
  header.length > MAXIMUM_HEADER_LENGTH ? null : parseAccept(header);

function qualityOf(ranges: readonly MediaType[], produces: string): number {
  const [type = '', subtype = ''] = produces.split('/');
  let best = 0;
  let quality = 0;
  for (const range of ranges) {
    const rank = specificity(range, type, subtype);
    const rangeQuality = Number(range.parameters.get('q') ?? '1');
    if (rank > best) quality = rangeQuality;
    else if (rank > 0 && rank === best) quality = Math.max(quality, rangeQuality);
    best = Math.max(best, rank);
  }
  return quality;
}

function judgeAccept(header: string, produces: string): MediaTypeProblem | null {
  if (header.trim() === '') return null;
  const ranges = rangesOf(header);
  if (ranges === null) return 'E0000019';
  return qualityOf(ranges, produces) > 0 ? null : 'E0000122';
}

/** Tells whether a client prefers HTML to JSON. Returns false if it accepts both equally. */
export function prefersHtml(header: string | undefined): boolean {
  const ranges = rangesOf(header ?? '') ?? [];
  return qualityOf(ranges, 'text/html') > qualityOf(ranges, 'application/json');
}

/** Returns null if the Content-Type is `accepts`, without a charset or with UTF-8. */
export function checkContentType(header: string | undefined, accepts: string): MediaTypeProblem | null {
  if (header === undefined || header.trim() === '') return 'E0000018';
  const mediaType = parseContentType(header);
  if (mediaType === null) return 'E0000019';
  const charset = mediaType.parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  const isAccepted = `${mediaType.type}/${mediaType.subtype}` === accepts;
  return isAccepted && (charset === 'utf-8' || charset === 'utf8') ? null : 'E0000021';
}

/**
 * Returns the words of the `svc-response` parameter, which asks for shorter responses (contract section 4.1). `word` is
 * the namespace word, here `svc`.
 */
export function responseModifiers(contentType: string | undefined, word: string): Set<string> {
  const mediaType = contentType === undefined ? null : parseContentType(contentType);
  const words = mediaType?.parameters.get(`${word}-response`)?.split(',') ?? [];
  return new Set(words.map((modifier) => modifier.trim()).filter((modifier) => modifier !== ''));
}
