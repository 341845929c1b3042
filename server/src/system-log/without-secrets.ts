/** Session ids by their form, and whatever stands in the place of one, however it is encoded. */
const SESSION_IDS = /(?<![\w-])102[\w-]{22}(?![\w-])|(?<=\/api\/v1\/sessions\/)(?!me(?:[/?]|$))[^/?]+/g;
const PARAMETERS = /([?&][^=&?]*=)([^&]+)/g;
const SECRET = /token|secret|assertion|password/i;

/**
 * The address of a request as events may show it. Some addresses are as good as a password: those of a session by its
 * id, and queries with a token or, from a client in error, with its credentials.
 */
export function withoutSecrets(address: string): string {
  const isPlain = !address.includes('102') && !address.includes('/sessions/');
  const shown = isPlain ? address : address.replaceAll(SESSION_IDS, '102...');
  if (!shown.includes('=')) return shown;
  return shown.replaceAll(PARAMETERS, (whole, name: string) => (SECRET.test(name) ? `${name}...` : whole));
}
