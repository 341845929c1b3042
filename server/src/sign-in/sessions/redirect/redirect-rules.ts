import { invalid } from '../../../kernel/errors/errors.ts';

/** Reads a redirect URL. Send only the returned `href`, which is spelled as browsers will read it. */
export function readRedirectUrl(text: string | undefined): { readonly href: string; readonly origin: string } {
  const refused = () => invalid('redirectUrl', 'must be an address of the org or of a trusted origin.');
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw refused();
  if (url.username !== '' || url.password !== '') throw refused();
  return { href: url.href, origin: url.origin };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

type Sender = 'own' | 'unknown' | { readonly origin: string };

/** Repeated headers, unreadable values and `null` name no sender. */
function senderNamed(name: string | string[] | undefined, baseUrl: string): Sender {
  if (typeof name !== 'string' || !URL.canParse(name)) return 'unknown';
  const { origin } = new URL(name);
  if (origin === 'null') return 'unknown';
  return origin === baseUrl ? 'own' : { origin };
}

/**
 * Some web views send no Fetch metadata, so Origin and Referer name the sender. A request without any of these headers
 * counts as `own`, because it probably comes from a program.
 */
function senderWithoutMetadata({ origin, referer }: Headers, baseUrl: string): Sender {
  const senders = [origin, referer].filter((name) => name !== undefined).map((name) => senderNamed(name, baseUrl));
  return senders.find((sender) => sender !== 'own') ?? 'own';
}

/**
 * Returns the foreign origin that sent a browser here. `own` means that this org sent it, or that no browser sent the
 * request. `unknown` means that nothing names the sender, or that the request is not for a page that the user sees. A
 * typed address has no sender either: a link in an email looks the same, and a stranger may have written it.
 */
export function senderOf(headers: Headers, baseUrl: string): Sender {
  const site = headers['sec-fetch-site'];
  if (site === undefined) return senderWithoutMetadata(headers, baseUrl);
  if (site === 'none' || (headers['sec-fetch-dest'] ?? 'document') !== 'document') return 'unknown';
  return site === 'same-origin' ? 'own' : senderNamed(headers['referer'], baseUrl);
}
