import { generateKeyPairSync, type KeyObject, randomUUID, X509Certificate } from 'node:crypto';
import { makeCertificate } from '../../src/platform/crypto/x509-certificate.ts';
import type { TestResponse } from './client.ts';
import { newOidcProvider, newProviderKey } from './identity-providers.ts';
import type { TestOrg } from './service.ts';

type Given = Readonly<Record<string, unknown>>;

export const PROVIDERS = '/api/v1/idps';
export const PROVIDER_KEYS = `${PROVIDERS}/credentials/keys`;

export function certificateOf(subjectPublicKey: KeyObject): string {
  const issuer = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = makeCertificate({
    subjectName: 'idp.example',
    issuerName: 'issuer.example',
    subjectPublicKey,
    issuerPublicKey: issuer.publicKey,
    issuerPrivateKey: issuer.privateKey,
    notBefore: new Date('2026-01-01T00:00:00Z'),
    notAfter: new Date('2036-01-01T00:00:00Z'),
    use: { kind: 'server', hosts: ['idp.example'] },
  });
  return new X509Certificate(pem).raw.toString('base64');
}

export const newSamlProvider = (kid: string, given: Given = {}, protocol: Given = {}): Given => ({
  type: 'SAML2',
  name: `provider ${randomUUID()}`,
  protocol: {
    type: 'SAML2',
    endpoints: { sso: { url: 'https://idp.example/sso' } },
    credentials: { trust: { issuer: 'https://idp.example', kid } },
    ...protocol,
  },
  ...given,
});

export const newSocialProvider = (type: string, protocol = 'OIDC', given: Given = {}): Given => ({
  type,
  name: `provider ${randomUUID()}`,
  protocol: {
    type: protocol,
    scopes: ['openid', 'email'],
    credentials: { client: { client_id: 'gatehouse', client_secret: 'a secret of the provider' } },
  },
  ...given,
});

async function create(org: TestOrg, path: string, body: Given): Promise<TestResponse['body']> {
  const response = await org.admin.post(path, { body });
  if (response.status !== 200) throw new Error(`nothing was created at ${path}: ${response.text}`);
  return response.body;
}

export const createProviderKey = async (org: TestOrg): Promise<string> =>
  (await create(org, PROVIDER_KEYS, newProviderKey())).kid;

export const createProvider = (org: TestOrg, body: Given = newOidcProvider()): Promise<TestResponse['body']> =>
  create(org, PROVIDERS, body);

export const createSamlProvider = async (org: TestOrg, given: Given = {}): Promise<TestResponse['body']> =>
  createProvider(org, newSamlProvider(await createProviderKey(org), given));
