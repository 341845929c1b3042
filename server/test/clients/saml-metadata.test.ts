import samlify from 'samlify';
import { beforeAll, describe, expect, test } from 'vitest';
import { newOidcProvider } from '../support/identity-providers.ts';
import { createProvider, createProviderKey, newSamlProvider, PROVIDERS } from '../support/provider-requests.ts';
import { useService } from '../support/use-service.ts';

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

const { service, org } = useService({ isShared: false });
let kid: string;

beforeAll(async () => {
  kid = await createProviderKey(org);
});

const path = ({ id }: { id: string }): string => `${PROVIDERS}/${id}/metadata.xml`;
const loaded = async (provider: { id: string }) => {
  const { text } = await org.anonymous.get(path(provider), { headers: { accept: 'application/xml' } });
  return samlify.ServiceProvider({ metadata: text }).entityMeta;
};

/** Children of SPSSODescriptor in the order of its schema (saml-schema-metadata-2.0.xsd). */
const SEQUENCE = [
  'Signature',
  'Extensions',
  'KeyDescriptor',
  'Organization',
  'ContactPerson',
  'ArtifactResolutionService',
  'SingleLogoutService',
  'ManageNameIDService',
  'NameIDFormat',
  'AssertionConsumerService',
  'AttributeConsumingService',
];

describe('metadata of this org for a SAML provider', () => {
  test('loads in samlify', async () => {
    const provider = await createProvider(org, newSamlProvider(kid, {}, { settings: { nameFormat: PERSISTENT } }));
    const meta = await loaded(provider);
    expect(meta.getEntityID()).toBe(provider.protocol.credentials.trust.audience);
    expect(meta.isWantAssertionsSigned()).toBe(true);
    expect(meta.isAuthnRequestSigned()).toBe(false);
    expect(meta.getNameIDFormat()).toBe(PERSISTENT);
    expect(meta.getAssertionConsumerService('post')).toBe(`${org.baseUrl}/sso/saml2/${provider.id}`);
  });

  test('an address that all providers share, and an audience of the administrator', async () => {
    const audience = 'urn:a&b<c>"d\'e';
    const endpoints = { sso: { url: 'https://idp.example/sso' }, acs: { type: 'ORG' } };
    const credentials = { trust: { issuer: 'urn:idp', kid, audience } };
    const provider = await createProvider(org, newSamlProvider(kid, {}, { endpoints, credentials }));
    const meta = await loaded(provider);
    expect(meta.getEntityID()).toBe(audience);
    expect(meta.getAssertionConsumerService('post')).toBe(`${org.baseUrl}/sso/saml2`);
  });

  test('has the elements and attributes of the schema, in its order', async () => {
    const { text } = await org.anonymous.get(path(await createProvider(org, newSamlProvider(kid))));
    const elements = [...text.matchAll(/<md:(\w+)((?:\s+[\w:]+="[^"]*")*)\s*\/?>/g)].map(
      ([, name = '', given = '']) => ({
        name,
        attributes: Object.fromEntries(
          [...given.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
        ),
      }),
    );
    expect(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n')).toBe(true);
    expect(elements.map(({ name }) => name).slice(0, 2)).toEqual(['EntityDescriptor', 'SPSSODescriptor']);
    expect(elements[0]?.attributes).toEqual({ 'xmlns:md': METADATA, entityID: expect.stringMatching(/^https:/) });
    expect(elements[1]?.attributes).toEqual({
      AuthnRequestsSigned: 'false',
      WantAssertionsSigned: 'true',
      protocolSupportEnumeration: 'urn:oasis:names:tc:SAML:2.0:protocol',
    });
    const children = elements.slice(2);
    const places = children.map(({ name }) => SEQUENCE.indexOf(name));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    const services = children.filter(({ name }) => name === 'AssertionConsumerService');
    expect(services.map(({ attributes }) => attributes)).toEqual([
      { Binding: POST_BINDING, Location: expect.stringMatching(/^https:/), index: '0', isDefault: 'true' },
    ]);
  });

  test.each(['application/xml', 'text/xml', 'application/samlmetadata+xml', 'application/json', '*/*'])(
    'is application/xml for Accept: %s, to anyone, also while the provider is inactive',
    async (accept) => {
      const provider = await createProvider(org, newSamlProvider(kid, { status: 'INACTIVE' }));
      const response = await org.anonymous.get(path(provider), {
        headers: { accept, authorization: 'SSWS nonsense' },
      });
      expect(response.status).toBe(200);
      expect(response.headers['content-type']).toMatch(/^application\/xml/);
    },
  );

  test('the entity stays the same by whichever address it is read, and over a replacement', async () => {
    const provider = await createProvider(org, newSamlProvider(kid));
    const { text } = await org.anonymous.get(path(provider));
    await org.admin.put(`${PROVIDERS}/${provider.id}`, { body: newSamlProvider(kid) });
    expect((await org.anonymous.get(path(provider))).text).toBe(text);
    const elsewhere = await org.client({ host: `localhost:${service.port}` }).get(path(provider));
    const entityOf = (metadata: string) => /entityID="([^"]+)"/.exec(metadata)?.[1];
    expect(elsewhere.status).toBe(200);
    expect(entityOf(elsewhere.text)).toBe(entityOf(text));
    expect(elsewhere.text).toContain(`Location="https://localhost:${service.port}/sso/saml2/${provider.id}"`);
  });

  test('there is none for providers of other protocols, and none for strangers', async () => {
    const oidc = await createProvider(org, newOidcProvider());
    const [missing, unknown] = [
      { status: 501, errorCode: 'E0000060' },
      { status: 404, errorCode: 'E0000007' },
    ];
    const asked = [
      [oidc.id, missing],
      ['0oaunknown', unknown],
      [encodeURIComponent("'><x>"), unknown],
    ] as const;
    for (const [id, { errorCode, status }] of asked) {
      expect(await org.anonymous.get(`${PROVIDERS}/${id}/metadata.xml`)).toMatchObject({
        status,
        headers: { 'content-type': expect.stringContaining('application/json') },
        body: { errorCode },
      });
    }
  });
});
