import type { SignOnMode } from '../modes/kind-rules.ts';
import { type AppDocument, isClientDocument } from './document-contract.ts';

/**
 * The destination of a user who starts an app. `login` is an address at which the client begins a sign-in (OpenID
 * Connect Core 4), and `address` is a page of the app. On a `byHand` page, users enter their name and password
 * themselves. This service does not support `federation` yet.
 */
export type LaunchTarget =
  | { readonly to: 'login' | 'address' | 'byHand'; readonly address: string }
  | { readonly to: 'federation' };

/** The settings that may contain the start address of an app, in order of preference, by sign-on mode. */
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

/** Adds the issuer to the address at which a client begins a sign-in (OpenID Connect Core 4). */
export function loginAddress(address: string, issuer: string): string {
  const [location = '', ...fragment] = address.split('#');
  const separator = location.includes('?') ? (/[?&]$/.test(location) ? '' : '&') : '?';
  const hash = fragment.length === 0 ? '' : `#${fragment.join('#')}`;
  return `${location}${separator}iss=${encodeURIComponent(issuer)}${hash}`;
}
