import { Type } from '@sinclair/typebox';
import { type AnyRoute, route } from '../../platform/http/index.ts';
import { SENT, SHOWN, UI_LOCALES_FIELD } from '../pages/page-route.ts';
import { type FederationPorts, showMissing, startAtProvider } from './show-missing.ts';

interface Announced {
  readonly missing: 'certificate' | 'provider' | 'saml';
  readonly url: string;
  /** `opens` is the operation that shows a page at the path. `takes` is the operation that accepts a form there. */
  readonly opens: string;
  readonly takes?: string;
}

/** Paths that appear in metadata, links and settings, but whose features are missing (ADR 0059). */
// biome-ignore format: the columns are the documentation
const ANNOUNCED: readonly Announced[] = [
  { missing: 'saml',        url: '/app/:appName/:externalKey/sso/saml',                   opens: 'signOnToSamlApp',           takes: 'sendSamlRequest' },
  { missing: 'saml',        url: '/app/:appName/:externalKey/slo/saml',                   opens: 'signOutOfSamlApp',          takes: 'sendSamlLogout' },
  { missing: 'saml',        url: '/app/:appName/:appId/setup/help/:mode/instructions',    opens: 'showSamlInstructions' },
  { missing: 'provider',    url: '/sso/saml2',                                            opens: 'showAssertionConsumer',     takes: 'sendAssertion' },
  { missing: 'provider',    url: '/sso/saml2/:idpId',                                     opens: 'showConsumerOfProvider',    takes: 'sendAssertionOfProvider' },
  { missing: 'provider',    url: '/oauth2/v1/authorize/callback',                         opens: 'returnFromProvider',        takes: 'sendFromProvider' },
  { missing: 'certificate', url: '/login/cert',                                           opens: 'signInWithCertificate' },
];

const summaryOf = {
  certificate: 'signing in with a certificate',
  provider: 'signing in through another identity provider',
  saml: 'SAML for apps',
};

function announcedRoutes(ports: FederationPorts, { missing, opens, takes, url }: Announced): AnyRoute[] {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, Type.String()] as const);
  const common = {
    url,
    params: Type.Object(Object.fromEntries(names)),
    errors: ['E0000060'],
    bucket: 'authorize',
  } as const;
  const summary = `Show that ${summaryOf[missing]} is not supported yet`;
  const shown = route({
    ...SHOWN,
    ...common,
    operationId: opens,
    summary,
    query: UI_LOCALES_FIELD,
    handler: async (request) => showMissing(ports, request, missing),
  });
  if (takes === undefined) return [shown];
  const sent = route({
    ...SENT,
    ...common,
    operationId: takes,
    summary: `${summary} (POST)`,
    body: Type.Record(Type.String(), Type.String()),
    bodyOptional: true,
    handler: async (request) => showMissing(ports, request, missing),
  });
  return [shown, sent];
}

export const federationRoutes = (ports: FederationPorts): AnyRoute[] => [
  route({
    ...SHOWN,
    operationId: 'startAtIdentityProvider',
    url: '/sso/idps/:idpId',
    summary: 'Start a sign-in at an identity provider',
    params: Type.Object({ idpId: Type.String() }),
    query: UI_LOCALES_FIELD,
    errors: ['E0000007', 'E0000060'],
    handler: async ({ params, ...request }) => startAtProvider(ports, request, params.idpId),
  }),
  ...ANNOUNCED.flatMap((announced) => announcedRoutes(ports, announced)),
];
