import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { wireProviderType } from '../../management/identity-providers/index.ts';
import type { PolicyEngine, RoutedProvider, RoutingDecision } from '../../management/policies/index.ts';
import { ISSUER_RELATION, readLogin, readRelations } from './resource-rules.ts';

export interface DiscoveryPorts {
  readonly policies: Pick<PolicyEngine, 'route'>;
  /** Returns the ids of the active network zones that contain an address. */
  readonly zonesOf: (orgId: OrgId, clientAddress: string | null) => Promise<readonly string[]>;
  readonly subdomainOf: (orgId: OrgId) => Promise<string>;
  /** Notes a decision in memory, so that the response does not wait for the System Log. */
  readonly routed: (context: Context, decision: RoutingDecision) => void;
}

export interface DiscoveryQuery {
  readonly resource: readonly string[];
  readonly rel: readonly string[];
}

/** A JSON Resource Descriptor (RFC 7033 4.4). */
export interface DiscoveryResult {
  readonly subject: string;
  readonly links: readonly Readonly<Record<string, unknown>>[];
}

function providerLink({ baseUrl, namespace: { upper, word } }: Context, { id, name, type }: RoutedProvider) {
  return {
    rel: `${word}:idp`,
    href: `${baseUrl}/sso/idps/${id}`,
    titles: { und: name },
    properties: {
      [`${word}:idp:metadata`]: `${baseUrl}/api/v1/idps/${id}/metadata.xml`,
      [`${word}:idp:type`]: wireProviderType(type, upper),
      [`${word}:idp:id`]: id,
    },
  };
}

const ownLink = ({ baseUrl, namespace: { upper, word } }: Context, subdomain: string) => ({
  rel: ISSUER_RELATION,
  href: `${baseUrl}/sso/idps/${upper}`,
  titles: { und: subdomain },
  properties: { [`${word}:idp:type`]: upper },
});

export async function routeLogin(
  ports: Pick<DiscoveryPorts, 'policies' | 'routed' | 'zonesOf'>,
  context: Context,
  login: string,
): Promise<RoutingDecision> {
  const { client, orgId } = context;
  const decision = await ports.policies.route(orgId, {
    login,
    zones: await ports.zonesOf(orgId, client.ipAddress),
    appId: null,
    platform: { type: client.device, os: client.userAgent.os },
    attribute: (name) => (name === 'login' || (name === 'email' && login.includes('@')) ? login : undefined),
  });
  ports.routed(context, decision);
  return decision;
}

/**
 * Returns the providers for a login. Looks up no user, so that strangers cannot learn who exists (specification 4.5,
 * ADR 0014).
 */
export async function discoverProvider(
  ports: DiscoveryPorts,
  context: Context,
  query: DiscoveryQuery,
): Promise<DiscoveryResult> {
  const { namespace, orgId } = context;
  const login = readLogin(query.resource, namespace.word);
  const relations = readRelations(query.rel, namespace.word);
  const [decision, subdomain] = await Promise.all([routeLogin(ports, context, login), ports.subdomainOf(orgId)]);
  const own = ownLink(context, subdomain);
  const entries = decision.providers.flatMap((provider) => {
    if (provider.id === null) return relations === null || relations.issuer ? [own] : [];
    return relations === null || relations.provider ? [providerLink(context, provider)] : [];
  });
  // The org's own entry is returned on request, even if the rules choose another provider.
  const links = relations?.issuer === true && !entries.includes(own) ? [...entries, own] : entries;
  return { subject: query.resource[0] ?? '', links };
}
