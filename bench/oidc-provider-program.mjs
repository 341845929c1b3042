// This program is the peer of the token rows: oidc-provider with in-memory storage. It uses the same grant types,
// client authentication, algorithm and kind of token as the product.
import { Provider } from 'oidc-provider';

const { clientKey, serverKey, scope, webClient } = JSON.parse(process.argv[2] ?? '{}');
const audience = 'urn:bench:api';
const redirectUri = 'https://app.example/callback';
const stored = new Map();

/** The in-memory adapter of oidc-provider keeps only 1,000 entries. This one has no such limit. */
class Adapter {
  constructor(model) {
    this.model = model;
  }
  key(id) {
    return `${this.model}:${id}`;
  }
  async upsert(id, payload) {
    stored.set(this.key(id), payload);
  }
  async find(id) {
    return stored.get(this.key(id));
  }
  async findByUid() {
    return undefined;
  }
  async findByUserCode() {
    return undefined;
  }
  async consume(id) {
    const payload = stored.get(this.key(id));
    if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1_000);
  }
  async destroy(id) {
    stored.delete(this.key(id));
  }
  async revokeByGrantId() {}
}

function configuration() {
  return {
    jwks: { keys: [serverKey] },
    adapter: Adapter,
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    rotateRefreshToken: true,
    clients: [
      {
        client_id: webClient.id,
        client_secret: webClient.secret,
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [redirectUri],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
      {
        client_id: 'bench',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'RS256',
        jwks: { keys: [clientKey] },
      },
    ],
    scopes: ['openid', 'offline_access', scope],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope,
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 3_600,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  };
}

const port = Number(process.argv[3]);
const provider = new Provider(`http://127.0.0.1:${port}`, configuration());

/** Makes an authorization code directly, because sign-in and consent are not measured. */
async function newCode(accountId) {
  const client = await provider.Client.find(webClient.id);
  const grant = new provider.Grant({ accountId, clientId: client.clientId });
  grant.addOIDCScope('openid offline_access');
  grant.addResourceScope(audience, scope);
  const grantId = await grant.save();
  const code = new provider.AuthorizationCode({
    accountId,
    client,
    grantId,
    redirectUri,
    resource: audience,
    scope: `openid offline_access ${scope}`,
    gty: 'authorization_code',
    authTime: Math.floor(Date.now() / 1_000),
    claims: {},
  });
  return code.save();
}
provider.on('server_error', (_context, error) => console.error(error));
provider.listen(port, '127.0.0.1', () => process.send?.({ port }));
process.on('message', async ({ count }) => {
  const codes = await Promise.all(Array.from({ length: count }, (_, index) => newCode(`user-${index}`)));
  process.send?.({ codes });
});
process.on('disconnect', () => process.exit(0));
