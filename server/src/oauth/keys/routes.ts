import { notFound } from '../../kernel/errors/errors.ts';
import { type AnyRoute, rawJson, route, text } from '../../platform/http/index.ts';
import type { ServerConfigurations } from '../custom-servers/server-configuration.ts';
import { AuthorizationServerIdParams, SigningKeySetSchema } from './contract.ts';
import { serverKeyRoutes } from './server-key-routes.ts';
import type { ServerKeysPorts } from './server-keys.ts';
import type { PublicKey, SigningKeys } from './signing-keys.ts';

export interface KeyRoutesPorts extends ServerKeysPorts {
  readonly signingKeys: Pick<SigningKeys, 'publicKeys' | 'publishedKeys' | 'drop'>;
  readonly servers: Pick<ServerConfigurations, 'findKept'>;
}

/** Clients may cache keys for an hour, because keys are normally published a day before they sign. */
const KEPT_FOR_AN_HOUR = { headers: { 'cache-control': 'public, max-age=3600, must-revalidate' } };

const wireKey = ({ algorithm, kid, publicJwk: { e, kty, n } }: PublicKey): Record<string, string> => ({
  kty,
  alg: algorithm,
  kid,
  use: 'sig',
  e,
  n,
});

const common = {
  method: 'GET',
  access: 'public',
  scopes: [],
  query: { client_id: text('Has no effect: no client has signing keys of its own.') },
  response: { status: 200, schema: SigningKeySetSchema },
  bucket: 'unlimited',
  cors: true,
  keptWithoutDatabase: true,
} as const;

const texts = new WeakMap<PublicKey, string>();

/** Renders a key once for as long as it stays in the cache of signing keys. */
function textOf(key: PublicKey): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  const rendered = JSON.stringify(wireKey(key));
  texts.set(key, rendered);
  return rendered;
}

const keySet = (keys: readonly PublicKey[]) => rawJson(`{"keys":[${keys.map(textOf).join(',')}]}`, KEPT_FOR_AN_HOUR);

export const keyRoutes = (ports: KeyRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'oauthKeys',
    url: '/oauth2/v1/keys',
    summary: 'Retrieve the public signing keys of the authorization server',
    tag: 'OrgAS',
    errors: [],
    handler: async ({ context }) => keySet(await ports.signingKeys.publishedKeys(context.orgId)),
  }),
  route({
    ...common,
    operationId: 'oauthKeysCustomAS',
    url: '/oauth2/:authorizationServerId/v1/keys',
    summary: 'Retrieve the public signing keys of a custom authorization server',
    tag: 'CustomAS',
    params: AuthorizationServerIdParams,
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const server = await ports.servers.findKept(context.orgId, params.authorizationServerId);
      if (server === null) throw notFound(params.authorizationServerId, 'AuthorizationServer');
      return keySet(await ports.signingKeys.publishedKeys(context.orgId, server.id));
    },
  }),
  ...serverKeyRoutes(ports),
];
