import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newSamlApp } from '../support/app-kinds.ts';
import { beforeTests } from '../support/before-tests.ts';
import { certifiedCsr } from '../support/certificates.ts';
import { startNodeSdkApps } from './node-sdk-apps.ts';

const apps = beforeTests(() => startNodeSdkApps());
const sdk = beforeTests(() => apps.connectAs(apps.org.adminToken));

const GONE = { status: 404, errorCode: 'E0000007' };
const PAGE = 'https://example.com/login.html';

type Given = Readonly<Record<string, unknown>>;
const settingsApp = (app: Given): Given => ({ settings: { app } });

/** Each row has a sign-on mode, the `name` of the app if the request contains one, and the rest of the request. */
const APPLICATIONS: readonly (readonly [string, string | undefined, Given])[] = [
  ['BOOKMARK', 'bookmark', settingsApp({ requestIntegration: false, url: 'https://example.com/bookmark.htm' })],
  ['BASIC_AUTH', 'template_basic_auth', settingsApp({ url: PAGE, authURL: 'https://example.com/auth.html' })],
  [
    'BROWSER_PLUGIN',
    'template_swa',
    settingsApp({
      buttonField: 'btn-login',
      passwordField: 'txtbox-password',
      usernameField: 'txtbox-username',
      url: PAGE,
    }),
  ],
  [
    'SECURE_PASSWORD_STORE',
    'template_sps',
    settingsApp({ url: PAGE, passwordField: '#txtbox-password', usernameField: '#txtbox-username' }),
  ],
  ['AUTO_LOGIN', undefined, { settings: { signOn: { redirectUrl: 'http://swa.example.com', loginUrl: PAGE } } }],
  ['SAML_2_0', undefined, { settings: newSamlApp()['settings'] }],
  ['SAML_1_1', 'sharepoint_onpremise', settingsApp({ siteURL: 'https://example.com' })],
  [
    'WS_FEDERATION',
    'template_wsfed',
    settingsApp({
      audienceRestriction: 'urn:example:app',
      groupName: null,
      groupValueFormat: 'windowsDomainQualifiedName',
      realm: 'urn:example:app',
      wReplyURL: 'https://example.com/',
      attributeStatements: null,
      nameIDFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
      authnContextClassRef: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
      siteURL: 'https://example.com',
      wReplyOverride: false,
      groupFilter: null,
      usernameAttribute: 'username',
    }),
  ],
];

const MODELS: Readonly<Record<string, string>> = {
  BOOKMARK: 'BookmarkApplication',
  BASIC_AUTH: 'BasicAuthApplication',
  BROWSER_PLUGIN: 'BrowserPluginApplication',
  SECURE_PASSWORD_STORE: 'SecurePasswordStoreApplication',
  AUTO_LOGIN: 'AutoLoginApplication',
  SAML_2_0: 'SamlApplication',
  SAML_1_1: 'Saml11Application',
  WS_FEDERATION: 'WsFederationApplication',
};

const make = (signOnMode: string, name: string | undefined, given: Given) =>
  sdk.call('applicationApi.createApplication', {
    application: { ...(name === undefined ? {} : { name }), label: `SDK ${signOnMode}`, signOnMode, ...given },
  });
const makeBookmark = () => make('BOOKMARK', 'bookmark', settingsApp({ url: 'https://example.com' }));
const makeSaml = () => make('SAML_2_0', undefined, { settings: newSamlApp()['settings'] });

describe('the SDK', () => {
  test.each(APPLICATIONS)('manages apps of the mode %s', async (signOnMode, name, given) => {
    const application = await make(signOnMode, name, given);
    const { id } = application;
    expect(await sdk.models('applicationApi.getApplication', { appId: id })).toMatchObject([
      { item: MODELS[signOnMode] },
    ]);
    expect((await sdk.collect('applicationApi.listApplications')).map((app) => app.id)).toContain(id);
    const label = `changed ${signOnMode}`;
    const replaced = await sdk.call('applicationApi.replaceApplication', {
      appId: id,
      application: { ...application, label },
    });
    expect(replaced).toMatchObject({ label, name: application.name, signOnMode });
    const filter = `name eq "${application.name}"`;
    expect((await sdk.collect('applicationApi.listApplications', { filter })).map((app) => app.id)).toContain(id);
    await sdk.call('applicationApi.deactivateApplication', { appId: id });
    expect(await sdk.call('applicationApi.getApplication', { appId: id })).toMatchObject({ status: 'INACTIVE' });
    await sdk.call('applicationApi.deleteApplication', { appId: id });
    expect(await sdk.refusal('applicationApi.getApplication', { appId: id })).toMatchObject(GONE);
  });

  test('makes keys, lists, reads and clones them', async () => {
    const [source, target] = [await makeBookmark(), await makeBookmark()];
    const argument = { appId: source.id };
    const made = await sdk.call('applicationApi.generateApplicationKey', { ...argument, validityYears: 2 });
    const another = await sdk.call('applicationApi.generateApplicationKey', { ...argument, validityYears: 2 });
    expect(await sdk.models('applicationApi.listApplicationKeys', argument)).toMatchObject([
      { item: 'JsonWebKey' },
      { item: 'JsonWebKey' },
      { item: 'JsonWebKey' },
    ]);
    // The first key belongs to the org.
    const [, ...listed] = (await sdk.collect('applicationApi.listApplicationKeys', argument)).map(({ kid }) => kid);
    expect(listed.toSorted()).toEqual([made.kid, another.kid].toSorted());
    expect(await sdk.call('applicationApi.getApplicationKey', { ...argument, keyId: made.kid })).toMatchObject({
      kid: made.kid,
      x5c: made.x5c,
    });
    const clone = { ...argument, keyId: made.kid, targetAid: target.id };
    expect(await sdk.call('applicationApi.cloneApplicationKey', clone)).toMatchObject({ kid: made.kid });
  });

  test('requests a certificate, publishes it as PEM and as base64, and revokes', async () => {
    const { id: appId } = await makeBookmark();
    const metadata = {
      subject: { countryName: 'US', organizationName: 'Acme, Inc.', commonName: 'SP Issuer' },
      subjectAltNames: { dnsNames: ['dev.example.com'] },
    };
    for (const encode of [(pem: string) => pem, (pem: string) => pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')]) {
      const csr = await sdk.call('applicationApi.generateCsrForApplication', { appId, metadata });
      const pem = certifiedCsr(csr, apps.org.now());
      const body = encode(pem);
      const key = await sdk.call('applicationApi.publishCsrFromApplication', { appId, csrId: csr.id, body });
      expect(key.x5c).toEqual([new X509Certificate(pem).raw.toString('base64')]);
    }
    const csr = await sdk.call('applicationApi.generateCsrForApplication', { appId, metadata });
    expect(await sdk.models('applicationApi.listCsrsForApplication', { appId })).toMatchObject([{ item: 'Csr' }]);
    await sdk.call('applicationApi.revokeCsrFromApplication', { appId, csrId: csr.id });
    expect(await sdk.refusal('applicationApi.getCsrForApplication', { appId, csrId: csr.id })).toMatchObject(GONE);
  });

  test('reads the SAML metadata of the key that it names', async () => {
    const { credentials, id: appId } = await makeSaml();
    const { kid } = credentials.signing;
    const text = await sdk.call('applicationApi.previewSAMLmetadataForApplication', { appId, kid });
    const key = await sdk.call('applicationApi.getApplicationKey', { appId, keyId: kid });
    expect(text).toContain(`<ds:X509Certificate>${key.x5c[0]}</ds:X509Certificate>`);
  });

  test('uploads a logo', async () => {
    const { id: appId } = await makeBookmark();
    const file = { name: 'logo.svg', data: '<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>' };
    await sdk.call('applicationApi.uploadApplicationLogo', { appId, file });
    const { _links: links } = await sdk.call('applicationApi.getApplication', { appId });
    expect(links.logo).toMatchObject([{ name: 'medium', type: 'image/svg+xml' }]);
  });

  test('puts an app under a policy', async () => {
    const { id: appId } = await makeBookmark();
    const policy = { type: 'ACCESS_POLICY', name: 'made by the SDK for an app' };
    const { id: policyId } = await sdk.call('policyApi.createPolicy', { policy });
    await sdk.call('applicationApi.assignApplicationPolicy', { appId, policyId });
    const { _links: links } = await sdk.call('applicationApi.getApplication', { appId });
    expect(links.accessPolicy.href).toBe(`${apps.org.baseUrl}/api/v1/policies/${policyId}`);
  });

  test('sets the connection and the features of an app', async () => {
    const { id: appId } = await makeSaml();
    await sdk.call('applicationApi.updateDefaultProvisioningConnectionForApplication', {
      appId,
      ProvisioningConnectionRequest: { profile: { authScheme: 'TOKEN', token: 'TEST' } },
      activate: false,
    });
    await sdk.call('applicationApi.activateDefaultProvisioningConnectionForApplication', { appId });
    expect(await sdk.call('applicationApi.getDefaultProvisioningConnectionForApplication', { appId })).toMatchObject({
      status: 'ENABLED',
      profile: { authScheme: 'TOKEN' },
    });
    const features = await sdk.collect('applicationApi.listFeaturesForApplication', { appId });
    expect(features.map(({ name }) => name)).toEqual(['USER_PROVISIONING', 'INBOUND_PROVISIONING']);
    const changed = await sdk.call('applicationApi.updateFeatureForApplication', {
      appId,
      name: 'USER_PROVISIONING',
      CapabilitiesObject: {
        create: { lifecycleCreate: { status: 'ENABLED' } },
        update: { lifecycleDeactivate: { status: 'ENABLED' }, profile: { status: 'ENABLED' } },
      },
    });
    expect(changed.capabilities).toMatchObject({ create: { lifecycleCreate: { status: 'ENABLED' } } });
    expect(
      await sdk.call('applicationApi.getFeatureForApplication', { appId, name: 'USER_PROVISIONING' }),
    ).toMatchObject({ capabilities: { update: { profile: { status: 'ENABLED' } } } });
  });
});
