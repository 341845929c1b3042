import { type AnyRoute, ok, route, text } from '../../platform/http/index.ts';
import { SigningKeySetSchema } from './contract.ts';
import type { PublicKey, SigningKeys } from './signing-keys.ts';

export interface KeyRoutesPorts {
  readonly signingKeys: Pick<SigningKeys, 'publicKeys'>;
}

/** A key is published a day before it signs, so that a set which is an hour old still has the key of every token. */
const CACHE_CONTROL = 'public, max-age=3600, must-revalidate';

const wireKey = ({ algorithm, kid, publicJwk: { e, kty, n } }: PublicKey): Record<string, string> => ({
  kty,
  alg: algorithm,
  kid,
  use: 'sig',
  e,
  n,
});

export const keyRoutes = ({ signingKeys }: KeyRoutesPorts): AnyRoute[] => [
  route({
    operationId: 'oauthKeys',
    method: 'GET',
    url: '/oauth2/v1/keys',
    summary: 'Retrieve the public signing keys of the authorization server',
    tag: 'OrgAS',
    access: 'public',
    scopes: [],
    query: { client_id: text('Without effect: no client has signing keys of its own.') },
    response: { status: 200, schema: SigningKeySetSchema },
    errors: [],
    bucket: 'unlimited',
    cors: true,
    handler: async ({ context }) => {
      const keys = await signingKeys.publicKeys(context.orgId);
      return ok({ keys: keys.map(wireKey) }, { 'cache-control': CACHE_CONTROL });
    },
  }),
];
