import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { escapeHtml } from '../../../kernel/texts/html.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { getApp } from '../lists/get-app.ts';
import { findSigningKey } from '../signing-keys/signing-key-store.ts';
import type { App } from '../store.ts';
import { isClientDocument, type ModeDocument } from './document-contract.ts';

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
const BINDINGS = [
  'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
  'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
] as const;

const textOf = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

/** Returns the name by which service providers know an app: `exk` in place of the prefix of the app's id. */
export const externalKeyOf = (appId: AppId): string => `exk${appId.slice(3)}`;

/** Returns the app's SAML issuer with `${org.externalKey}` filled in. */
export const samlIssuerOf = (app: Pick<App, 'id'>, { settings }: ModeDocument): string =>
  textOf(settings.signOn?.['idpIssuer'], '').replaceAll('${org.externalKey}', externalKeyOf(app.id));

export const samlAddressOf = (app: App, { baseUrl }: Pick<Context, 'baseUrl'>, service: 'sso' | 'slo'): string =>
  `${baseUrl}/app/${app.document.name}/${externalKeyOf(app.id)}/${service}/saml`;

export interface ProviderFacts {
  readonly entityId: string;
  /** The DER encoding of the certificate, in Base64. */
  readonly certificate: string;
  readonly nameFormats: readonly string[];
  readonly wantsSignedRequests: boolean;
  readonly signOnAddress: string;
  /** This is null when the app does not take part in single logout. */
  readonly logoutAddress: string | null;
}

const attribute = escapeHtml;

const service = (name: string, location: string): string[] =>
  BINDINGS.map((binding) => `<md:${name} Binding="${binding}" Location="${attribute(location)}"/>`);

/**
 * Renders the metadata of an app's identity provider (SAML metadata 2.4.3). The schema prescribes the order of the
 * elements.
 */
export const renderProviderMetadata = (facts: ProviderFacts): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${attribute(facts.entityId)}">`,
    `<md:IDPSSODescriptor WantAuthnRequestsSigned="${facts.wantsSignedRequests}"` +
      ` protocolSupportEnumeration="${PROTOCOL}">`,
    '<md:KeyDescriptor use="signing">',
    `<ds:KeyInfo xmlns:ds="${SIGNATURE}">`,
    `<ds:X509Data><ds:X509Certificate>${facts.certificate}</ds:X509Certificate></ds:X509Data>`,
    '</ds:KeyInfo>',
    '</md:KeyDescriptor>',
    ...(facts.logoutAddress === null ? [] : service('SingleLogoutService', facts.logoutAddress)),
    ...facts.nameFormats.map((format) => `<md:NameIDFormat>${attribute(format)}</md:NameIDFormat>`),
    ...service('SingleSignOnService', facts.signOnAddress),
    '</md:IDPSSODescriptor>',
    '</md:EntityDescriptor>',
    '',
  ].join('\n');

const isOn = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'enabled' in value && value.enabled === true;

/** Renders an app's SAML metadata with the key `kid`; the default is the key that signs. */
export async function getSamlMetadata(
  db: Db,
  context: Context,
  grant: Grant,
  appId: AppId,
  kid: string | undefined,
): Promise<string> {
  const app = await getApp(db, context, grant, appId);
  const { document } = app;
  if (app.signOnMode !== 'SAML_2_0' || isClientDocument(document)) throw notFound(appId, 'SamlApplication');
  const wanted = kid ?? document.credentials.signing?.kid ?? '';
  const key = await findSigningKey(db, context.orgId, appId, wanted);
  if (key === undefined) throw notFound(wanted, 'JsonWebKey');
  const signOn = document.settings.signOn ?? {};
  return renderProviderMetadata({
    entityId: samlIssuerOf(app, document),
    certificate: key.jwk.x5c[0] ?? '',
    nameFormats: [...new Set([textOf(signOn['subjectNameIdFormat'], UNSPECIFIED), UNSPECIFIED])],
    wantsSignedRequests: signOn['samlSignedRequestEnabled'] === true,
    signOnAddress: samlAddressOf(app, context, 'sso'),
    logoutAddress: isOn(signOn['slo']) ? samlAddressOf(app, context, 'slo') : null,
  });
}
