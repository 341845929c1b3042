import { createHash } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import { launchLinkOf } from '../documents/common-rules.ts';
import { takesSecret } from '../documents/document-rules.ts';
import { launchTargetOf } from '../documents/launch-rules.ts';
import { appLifecycle } from '../lifecycle.ts';
import { logoAddress, type ShownLogo } from '../logos/logo-address.ts';
import { kindOfApp } from '../modes/kind-rules.ts';
import type { App } from '../store.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function launchLinkId(orgId: string, appId: AppId, name: string): string {
  const digest = createHash('sha256').update(`${orgId}\0${appId}\0${name}`).digest();
  const random = Array.from(digest.subarray(0, 14), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `aln${random}${orgId.slice(-3)}`;
}

export interface LaunchLink {
  readonly id: string;
  readonly name: string;
  readonly href: string;
}

/**
 * Returns the app's visible links, or its default link if no link is visible. Returns none if the app has no launch
 * target.
 */
export function launchLinksOf(app: App, { baseUrl, orgId }: Pick<Context, 'baseUrl' | 'orgId'>): LaunchLink[] {
  if (launchTargetOf(app) === null) return [];
  const { name, visibility } = app.document;
  const own = launchLinkOf(kindOfApp(app), name);
  const names = Object.entries(visibility.appLinks).flatMap(([link, isShown]) => (isShown ? [link] : []));
  return (names.length === 0 ? [own] : names).map((link) => {
    const id = launchLinkId(orgId, app.id, link);
    return { id, name: link, href: `${baseUrl}/home/${encodeURIComponent(name)}/${app.id}/${id}` };
  });
}

export interface AppPolicies {
  readonly accessPolicyId: string | null;
  readonly profileEnrollmentId: string | null;
}

const hint = (...allow: readonly string[]) => ({ hints: { allow } });

/** Links an app to the operations that its status permits, and to related resources (contract section 17). */
export function wireAppLinks(
  app: App,
  { logo, policies }: { readonly logo: ShownLogo | null; readonly policies: AppPolicies },
  context: Context,
): Record<string, unknown> {
  const { id, status, document, signOnMode } = app;
  const address = `${context.baseUrl}/api/v1/apps/${id}`;
  const policyLink = (policyId: string | null) =>
    policyId === null ? undefined : { href: `${context.baseUrl}/api/v1/policies/${policyId}` };
  const instructions = `${context.baseUrl}/app/${document.name}/${id}/setup/help/${signOnMode}/instructions`;
  const links: Record<string, unknown> = {
    self: { href: address },
    ...(signOnMode === 'SAML_2_0' ? { help: { href: instructions, type: 'text/html' } } : {}),
    ...(signOnMode === 'SAML_2_0'
      ? { metadata: { href: `${address}/sso/saml/metadata`, type: 'application/xml' } }
      : {}),
    uploadLogo: { href: `${address}/logo`, ...hint('POST') },
    appLinks: launchLinksOf(app, context).map(({ name, href }) => ({ name, href, type: 'text/html' })),
    profileEnrollment: policyLink(policies.profileEnrollmentId),
    policies: { href: `${address}/policies`, ...hint('PUT') },
    groups: { href: `${address}/groups` },
    logo: [{ name: 'medium', ...logoAddress(logo, context.baseUrl) }],
    ...(takesSecret(document)
      ? { clientCredentials: [{ name: 'secrets', href: `${address}/credentials/secrets` }] }
      : {}),
    accessPolicy: policyLink(policies.accessPolicyId),
    users: { href: `${address}/users` },
  };
  for (const action of appLifecycle.linkedFrom(status)) {
    links[action] = action === 'delete' ? { href: address } : { href: `${address}/lifecycle/${action}` };
  }
  return Object.fromEntries(Object.entries(links).filter(([, link]) => link !== undefined));
}
