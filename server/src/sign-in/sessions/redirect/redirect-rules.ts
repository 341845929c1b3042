import { invalid } from '../../../kernel/errors/errors.ts';

/**
 * The address to send a browser to, and its origin. Only this result may be sent: it is spelled as browsers will read
 * it. 400 E0000001.
 */
export function readRedirectUrl(text: string | undefined): { readonly href: string; readonly origin: string } {
  const refused = () => invalid('redirectUrl', 'must be an address of the org or of a trusted origin.');
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw refused();
  if (url.username !== '' || url.password !== '') throw refused();
  return { href: url.href, origin: url.origin };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

type Sender = 'own' | 'unknown' | { readonly origin: string };

/** Reads the sender from an Origin or a Referer. `null` and unreadable values name nobody. */
function senderNamed(name: string | string[] | undefined, baseUrl: string): Sender {
  if (typeof name !== 'string' || !URL.canParse(name)) return 'unknown';
  const { origin } = new URL(name);
  if (origin === 'null') return 'unknown';
  return origin === baseUrl ? 'own' : { origin };
}

/** Browsers without Fetch metadata, web views among them, only send Origin or Referer; programs send nothing. */
function senderWithoutMetadata({ origin, referer }: Headers, baseUrl: string): Sender {
  const senders = [origin, referer].filter((name) => name !== undefined).map((name) => senderNamed(name, baseUrl));
  return senders.find((sender) => sender !== 'own') ?? 'own';
}

/**
 * The foreign origin from which a browser was sent here. `own`: from here, or no browser sent it. `unknown`: from an
 * unnamed place, or not as the page that the user looks at (Fetch metadata; a frame or an image would sign users in
 * unseen). A link in a mail arrives like a typed address (`none`), and somebody else may have written it.
 */
export function senderOf(headers: Headers, baseUrl: string): Sender {
  const site = headers['sec-fetch-site'];
  if (site === undefined) return senderWithoutMetadata(headers, baseUrl);
  if (site === 'none' || (headers['sec-fetch-dest'] ?? 'document') !== 'document') return 'unknown';
  return site === 'same-origin' ? 'own' : senderNamed(headers['referer'], baseUrl);
}
