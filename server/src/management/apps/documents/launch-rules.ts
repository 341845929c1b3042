import type { SignOnMode } from '../modes/kind-rules.ts';
import { type AppDocument, isClientDocument } from './document-contract.ts';

/**
 * The destination when a user starts an app. `login`: the client is asked to begin a sign-in (OpenID Connect Core 4).
 * `address`: a page of the app. `byHand`: a page where a browser would have to fill in the user's name and password,
 * which this service does not do. `federation`: the user would need an assertion of a kind that is not supported yet.
 */
export type LaunchTarget =
  | { readonly to: 'login' | 'address' | 'byHand'; readonly address: string }
  | { readonly to: 'federation' };

/** The member of its settings in which an app of these kinds keeps its sign-in address. */
const PLACES: Readonly<
  Partial<Record<SignOnMode, { readonly in: 'app' | 'signOn'; readonly names: readonly string[] }>>
> = {
  BOOKMARK: { in: 'app', names: ['url'] },
  BASIC_AUTH: { in: 'app', names: ['url'] },
  BROWSER_PLUGIN: { in: 'app', names: ['url', 'targetURL'] },
  SECURE_PASSWORD_STORE: { in: 'app', names: ['url'] },
  AUTO_LOGIN: { in: 'signOn', names: ['loginUrl'] },
};

const FEDERATED: ReadonlySet<SignOnMode> = new Set(['SAML_2_0', 'SAML_1_1', 'WS_FEDERATION']);

/** Null when the app can't be started from here, so that no link to it is shown. */
export function launchTargetOf({
  document,
  signOnMode,
}: {
  readonly document: AppDocument;
  readonly signOnMode: SignOnMode;
}): LaunchTarget | null {
  if (isClientDocument(document)) {
    const { client_uri: home, initiate_login_uri: login } = document.settings.oauthClient;
    if (login !== undefined) return { to: 'login', address: login };
    return home === undefined ? null : { to: 'address', address: home };
  }
  if (FEDERATED.has(signOnMode)) return { to: 'federation' };
  const place = PLACES[signOnMode];
  const settings = place === undefined ? undefined : document.settings[place.in];
  const address = place?.names.map((name) => settings?.[name]).find((value) => typeof value === 'string');
  if (typeof address !== 'string') return null;
  return { to: signOnMode === 'BOOKMARK' ? 'address' : 'byHand', address };
}

/** The address at which a client begins a sign-in, with the issuer added; its query stays as it is. */
export function loginAddress(address: string, issuer: string): string {
  const [location = '', ...fragment] = address.split('#');
  const separator = location.includes('?') ? (/[?&]$/.test(location) ? '' : '&') : '?';
  const hash = fragment.length === 0 ? '' : `#${fragment.join('#')}`;
  return `${location}${separator}iss=${encodeURIComponent(issuer)}${hash}`;
}
