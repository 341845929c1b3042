// The peer of the token row: oidc-provider with the same grant, client authentication, algorithm and kind of token, in
// memory. Told its keys by its parent; says the port it listens on.
import { Provider } from 'oidc-provider';

const { clientKey, serverKey, scope } = JSON.parse(process.argv[2] ?? '{}');
const audience = 'urn:bench:api';

function configuration() {
  return {
    jwks: { keys: [serverKey] },
    clients: [
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
    scopes: [scope],
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
provider.on('server_error', (_context, error) => console.error(error));
provider.listen(port, '127.0.0.1', () => process.send?.({ port }));
process.on('disconnect', () => process.exit(0));
