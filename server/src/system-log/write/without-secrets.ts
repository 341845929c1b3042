/** Strings in the form of a session id, and the path segment after `/api/v1/sessions/` unless it is `me`. */
const SESSION_IDS = /(?<![\w-])102[\w-]{22}(?![\w-])|(?<=\/api\/v1\/sessions\/)(?!me(?:[/?]|$))[^/?]+/g;
const PARAMETERS = /([?&])([^=&?]*)=([^&]+)/g;
const SECRET = /token|secret|assertion|password/i;

/** The start of a link from an email. The rest of the path is the token. */
const MAILED_LINK =
  /^((?:https?:\/\/[^/]*)?\/+(?:welcome|reset_password|signin\/+(?:reset-password|unlock|address))\/+)[^/]/i;
/** URLs that are nested in the parameters of other URLs more deeply than this are not shown. */
const MAXIMUM_NESTED = 3;

/** Decodes each run of percent-encoded bytes separately, so that a malformed one does not keep the others encoded. */
const decoded = (text: string): string =>
  text.replaceAll(/(?:%[\da-f]{2})+/gi, (piece) => {
    try {
      return decodeURIComponent(piece);
    } catch {
      return piece;
    }
  });

function shownPath(path: string): string {
  const [, start] = MAILED_LINK.exec(decoded(path)) ?? [];
  if (start !== undefined) return `${start}...`;
  return path.includes('102') || path.includes('/sessions/') ? path.replaceAll(SESSION_IDS, '102...') : path;
}

function shownValue(value: string, depth: number): string {
  const plain = decoded(value);
  // Without one of these characters or `102`, the value can contain neither a URL nor a session id.
  if (!/[/?=%]|102/.test(plain)) return value;
  if (depth > MAXIMUM_NESTED) return '...';
  const shown = shownAddress(plain, depth);
  return shown === plain ? value : encodeURIComponent(shown);
}

function shownAddress(address: string, depth: number): string {
  const end = address.indexOf('?');
  if (end === -1) return shownPath(address);
  const query = address.slice(end).replaceAll(PARAMETERS, (_, sign: string, name: string, value: string) => {
    return `${sign}${name}=${SECRET.test(decoded(name)) ? '...' : shownValue(value, depth + 1)}`;
  });
  return shownPath(address.slice(0, end)) + query;
}

/** Returns the address of a request without parts that are as good as a password, such as session ids and tokens. */
export const withoutSecrets = (address: string): string => shownAddress(address, 0);
