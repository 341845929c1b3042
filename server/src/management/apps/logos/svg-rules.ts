/** Strings that declare entities, load style sheets or run code. A picture needs none of them. */
const ACTIVE_TEXTS = ['<!doctype', '<!entity', '<?xml-stylesheet', '@import', 'javascript:', 'vbscript:'];
/** Elements that run code, react to events, or show something other than a picture. */
const ACTIVE_ELEMENTS: ReadonlySet<string> = new Set([
  'script',
  'foreignobject',
  'iframe',
  'embed',
  'object',
  'handler',
  'listener',
]);
/** The media types that a `data:` address may embed. */
const HELD_IMAGES = ['image/png;', 'image/jpeg;', 'image/gif;'];

const BLANK = /\s/;
const LETTER = /[a-z]/;
const NAME = /[\w-]/;
const WORD = /\w/;
const SCHEME = /[a-z\d+.-]/;

function endOfRun(text: string, from: number, kind: RegExp): number {
  let at = from;
  while (at < text.length && kind.test(text.charAt(at))) at += 1;
  return at;
}

function startOfRun(text: string, to: number, kind: RegExp): number {
  let at = to;
  while (at > 0 && kind.test(text.charAt(at - 1))) at -= 1;
  return at;
}

const skipBlanks = (text: string, from: number): number => endOfRun(text, from, BLANK);

/** Returns the position after any XML declaration and the blanks that follow, or -1 if the declaration is malformed. */
function endOfDeclaration(text: string, from: number): number {
  if (!text.startsWith('<?xml', from)) return from;
  const end = text.indexOf('?>', from);
  const inside = text.slice(from + 1, Math.max(from, end));
  return end < 0 || inside.includes('<') || inside.includes('>') ? -1 : skipBlanks(text, end + 2);
}

/** Returns whether the text begins as an SVG: after any declaration and comments, its first element is `svg`. */
function beginsAsSvg(text: string): boolean {
  let at = endOfDeclaration(text, skipBlanks(text, text.startsWith('\uFEFF') ? 1 : 0));
  while (at >= 0 && text.startsWith('<!--', at)) {
    const end = text.indexOf('-->', at + 4);
    at = end < 0 ? -1 : skipBlanks(text, end + 3);
  }
  if (at < 0 || text.charAt(at) !== '<') return false;
  const nameEnd = endOfRun(text, at + 1, NAME);
  const [from, end] =
    text.charAt(nameEnd) === ':' ? [nameEnd + 1, endOfRun(text, nameEnd + 1, NAME)] : [at + 1, nameEnd];
  return text.slice(from, end) === 'svg' && /[\s>/]/.test(text.charAt(end));
}

const isActiveName = (text: string, from: number): boolean =>
  ACTIVE_ELEMENTS.has(text.slice(from, endOfRun(text, from, WORD)));

function opensActiveElement(text: string): boolean {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    if (isActiveName(text, at + 1)) return true;
    const end = endOfRun(text, at + 1, NAME);
    if (end > at + 1 && text.charAt(end) === ':' && isActiveName(text, end + 1)) return true;
  }
  return false;
}

/**
 * Returns whether the value after an `=` may lead to another host or run code. An entity in place of a scheme is
 * treated as a scheme, because it could hide one.
 */
function leadsElsewhere(text: string, behindEquals: number): boolean {
  const before = skipBlanks(text, behindEquals);
  const from = skipBlanks(text, before + (/["']/.test(text.charAt(before)) ? 1 : 0));
  if (text.startsWith('//', from)) return true;
  const end = endOfRun(text, from, SCHEME);
  const isHeld = text.slice(from, end) === 'data' && HELD_IMAGES.some((type) => text.startsWith(type, end + 1));
  const isScheme = LETTER.test(text.charAt(from)) && text.charAt(end) === ':';
  return (isScheme && !isHeld) || text.charAt(end) === '&';
}

/** Checks the name before each `=` and the beginning of the value after it, so that the running time stays linear. */
function hasActiveAttribute(text: string): boolean {
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', at + 1)) {
    const nameEnd = startOfRun(text, at, BLANK);
    const nameStart = startOfRun(text, nameEnd, LETTER);
    const name = text.slice(nameStart, nameEnd);
    const isHandler = name.length > 2 && name.startsWith('on') && /[\s"'/]/.test(text.charAt(nameStart - 1));
    if (isHandler || (/(?:href|src)$/.test(name.slice(-4)) && leadsElsewhere(text, at + 1))) return true;
  }
  return false;
}

/**
 * Returns `none` for a text that is not an SVG, `active` for an SVG with active content, and `picture` for any other
 * SVG. The running time is linear.
 */
export function findSvgProblem(content: string): 'none' | 'active' | 'picture' {
  const text = content.toLowerCase();
  if (!beginsAsSvg(text)) return 'none';
  const isActive = ACTIVE_TEXTS.some((one) => text.includes(one));
  return isActive || opensActiveElement(text) || hasActiveAttribute(text) ? 'active' : 'picture';
}
