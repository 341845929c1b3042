import { UAParser } from 'my-ua-parser';
import { boundedCache } from '../../caches/index.ts';

export interface ParsedUserAgent {
  /** The header as sent, but cut if it is long; null if absent or blank. */
  readonly rawUserAgent: string | null;
  readonly os: string;
  /** The name in upper case, with words joined by `_` (`FIREFOX`, `MOBILE_SAFARI`), or `Unknown`. */
  readonly browser: string;
  readonly device: 'Computer' | 'Mobile' | 'Tablet' | 'Unknown';
}

const MAXIMUM_LENGTH = 512;
const UNKNOWN = 'Unknown';

const cache = boundedCache<string, ParsedUserAgent>(2_000);

const OS_SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['mac os', 'Mac OS X'],
  ['ios', 'iOS'],
  ['android', 'Android'],
  ['linux', 'Linux'],
  ['chromium os', 'Chrome OS'],
]);

const DESKTOPS = new Set(['Mac OS X', 'Linux', 'Chrome OS', 'Ubuntu', 'Debian', 'Fedora', 'FreeBSD', 'OpenBSD']);
const IOS_DEVICE = /\b(?:iphone|ipad|ipod)/i;
const IOS_WORD = /apple|\bios\b/i;
const BROWSER_HINT = /\b(chrome|safari|firefox|edge|opera)\b/i;

function osOf(raw: string, name: string | undefined, version: string | undefined): string {
  // Apps name their system in a short string (specification 4.1.11). The parser needs a browser's full string, so these
  // checks come first.
  if (IOS_WORD.test(raw) && IOS_DEVICE.test(raw)) return 'iOS';
  if (/android/i.test(raw)) return 'Android';
  if (name === undefined) return UNKNOWN;
  if (name === 'Windows') return version === undefined ? name : `${name} ${version}`;
  return OS_SPELLINGS.get(name.toLowerCase()) ?? name;
}

function deviceOf(raw: string, os: string, type: string | undefined): ParsedUserAgent['device'] {
  if (os === 'iOS') return /\bipad/i.test(raw) ? 'Tablet' : 'Mobile';
  if (type === 'tablet') return 'Tablet';
  if (type === 'mobile' || os === 'Android') return 'Mobile';
  return os.startsWith('Windows ') || DESKTOPS.has(os) ? 'Computer' : UNKNOWN;
}

const browserOf = (raw: string, name: string | undefined): string =>
  (name ?? BROWSER_HINT.exec(raw)?.[1])?.toUpperCase().replaceAll(/[^A-Z\d]+/g, '_') ?? UNKNOWN;

function parse(raw: string): ParsedUserAgent {
  const { os, browser, device } = new UAParser(raw).getResult();
  const osName = osOf(raw, os.name, os.version);
  return Object.freeze({
    rawUserAgent: raw,
    os: osName,
    browser: browserOf(raw, browser.name),
    device: deviceOf(raw, osName, device.type),
  });
}

const ABSENT: ParsedUserAgent = Object.freeze({ rawUserAgent: null, os: UNKNOWN, browser: UNKNOWN, device: UNKNOWN });

/** Reads a `User-Agent` header (specification 4.1.11). Accepts any header: unrecognized parts become `Unknown`. */
export function parseUserAgent(raw: string | undefined): ParsedUserAgent {
  if (raw === undefined || raw.trim() === '') return ABSENT;
  const text = raw.slice(0, MAXIMUM_LENGTH);
  const known = cache.get(text);
  if (known !== undefined) return known;
  const parsed = parse(text);
  cache.set(text, parsed);
  return parsed;
}
