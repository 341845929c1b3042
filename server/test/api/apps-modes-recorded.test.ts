import { describe, expect, test } from 'vitest';
import { APPS, createApp } from '../support/apps.ts';
import { useService } from '../support/use-service.ts';

const { org } = useService();

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
const COMMON_SETTINGS = {
  notifications: { vpn: { network: { connection: 'DISABLED' }, message: null, helpUrl: null } },
  manualProvisioning: false,
  implicitAssignment: false,
  emOptInStatus: 'NONE',
  notes: { admin: null, enduser: null },
};
const BUILT_IN = { template: '${source.login}', type: 'BUILT_IN' };

describe('create answers as the contract records it:', () => {
  test.each([
    {
      mode: 'BOOKMARK',
      name: 'bookmark',
      link: 'login',
      given: { app: { requestIntegration: false, url: 'https://test.com' }, notes: { admin: null, enduser: null } },
      credentials: { userNameTemplate: BUILT_IN, signing: {} },
      settings: { app: { requestIntegration: false, url: 'https://test.com' } },
    },
    {
      mode: 'BASIC_AUTH',
      name: 'template_basic_auth',
      link: 'login',
      given: {
        app: { authURL: 'https://example.com/auth.html', url: 'https://example.com/login.html' },
        notes: { admin: 'admin note', enduser: 'enduser note' },
      },
      sent: {
        userNameTemplate: { template: 'user.firstName', type: 'CUSTOM' },
        password: {},
        revealPassword: true,
        scheme: 'EDIT_USERNAME_AND_PASSWORD',
        userName: '',
      },
      credentials: {
        scheme: 'EDIT_USERNAME_AND_PASSWORD',
        userNameTemplate: { template: 'user.firstName', type: 'CUSTOM', pushStatus: 'DONT_PUSH' },
        revealPassword: true,
        signing: {},
      },
      settings: {
        app: {
          loginUrlRegex: null,
          authURL: 'https://example.com/auth.html',
          url: 'https://example.com/login.html',
        },
        notes: { admin: 'admin note', enduser: 'enduser note' },
      },
    },
    {
      mode: 'BROWSER_PLUGIN',
      name: 'template_swa',
      link: 'login',
      given: {
        app: {
          buttonField: 'btn-login',
          passwordField: 'txtbox-password',
          url: 'https://example.com/login.html',
          usernameField: 'txtbox-username',
        },
      },
      credentials: {
        scheme: 'EDIT_USERNAME_AND_PASSWORD',
        userNameTemplate: BUILT_IN,
        revealPassword: false,
        signing: {},
      },
      settings: {
        app: {
          loginUrlRegex: null,
          usernameField: 'txtbox-username',
          redirectUrl: null,
          buttonField: 'btn-login',
          checkbox: null,
          passwordField: 'txtbox-password',
          url: 'https://example.com/login.html',
        },
      },
    },
    {
      mode: 'SECURE_PASSWORD_STORE',
      name: 'template_sps',
      link: 'login',
      given: { app: { passwordField: 'pass', url: 'http://test.com', usernameField: 'user' } },
      sent: {
        userNameTemplate: BUILT_IN,
        password: {},
        revealPassword: false,
        scheme: 'ADMIN_SETS_CREDENTIALS',
        userName: '',
      },
      credentials: {
        scheme: 'ADMIN_SETS_CREDENTIALS',
        userNameTemplate: BUILT_IN,
        revealPassword: false,
        signing: {},
      },
      settings: {
        app: {
          usernameField: 'user',
          optionalField1: null,
          optionalField2Value: null,
          optionalField3Value: null,
          passwordField: 'pass',
          url: 'http://test.com',
          optionalField1Value: null,
          optionalField2: null,
          optionalField3: null,
        },
      },
    },
    {
      mode: 'SAML_1_1',
      name: 'sharepoint_onpremise',
      link: 'login',
      given: {
        app: { groupFilter: 'app1.*', siteURL: 'https://acme.example' },
        implicitAssignment: false,
        signOn: {
          allowMultipleAcsEndpoints: false,
          assertionSigned: false,
          attributeStatements: [],
          audienceOverride: '',
          defaultRelayState: '',
          recipientOverride: '',
          slo: { enabled: false },
          ssoAcsUrlOverride: '',
        },
      },
      credentials: { userNameTemplate: BUILT_IN, signing: { kid: expect.any(String) } },
      settings: {
        app: { groupFilter: 'app1.*', siteURL: 'https://acme.example' },
        signOn: {
          defaultRelayState: null,
          ssoAcsUrlOverride: null,
          audienceOverride: null,
          recipientOverride: null,
        },
      },
    },
  ])('$mode', async ({ credentials, given, link, mode, name, sent, settings }) => {
    const body = {
      accessibility: { selfService: false },
      ...(sent === undefined ? {} : { credentials: sent }),
      label: 'testAcc_1',
      name,
      settings: given,
      signOnMode: mode,
      visibility: { autoSubmitToolbar: false, hide: { iOS: false, web: false } },
    };
    const response = await org.admin.post(`${APPS}?activate=true`, { body });
    expect(response.status, response.text).toBe(200);
    const { id } = response.body;
    const address = `${org.baseUrl}${APPS}/${id}`;
    expect(response.body).toEqual({
      id,
      orn: `orn:svc:idp:${org.id}:apps:${name}:${id}`,
      name,
      label: 'testAcc_1',
      status: 'ACTIVE',
      lastUpdated: instant,
      created: instant,
      accessibility: { selfService: false, errorRedirectUrl: null, loginRedirectUrl: null },
      visibility: {
        autoLaunch: false,
        autoSubmitToolbar: false,
        hide: { iOS: false, web: false },
        appLinks: { [link]: true },
      },
      features: [],
      signOnMode: mode,
      credentials,
      universalLogout: null,
      settings: { ...COMMON_SETTINGS, ...settings },
      _links: expect.objectContaining({
        self: { href: address },
        uploadLogo: { href: `${address}/logo`, hints: { allow: ['POST'] } },
        appLinks: [
          {
            name: link,
            href: expect.stringMatching(`^${org.baseUrl}/home/${name}/${id}/aln[0-9A-Za-z]{17}$`),
            type: 'text/html',
          },
        ],
        policies: { href: `${address}/policies`, hints: { allow: ['PUT'] } },
        groups: { href: `${address}/groups` },
        users: { href: `${address}/users` },
        deactivate: { href: `${address}/lifecycle/deactivate` },
      }),
    });
    expect((await org.admin.get(`${APPS}/${id}`)).body).toEqual(response.body);
  });

  test('SAML_2_0', async () => {
    const signOn = {
      allowMultipleAcsEndpoints: false,
      assertionSigned: false,
      attributeStatements: [],
      audience: 'http://audience.com',
      audienceOverride: '',
      authnContextClassRef: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
      defaultRelayState: '',
      destination: 'http://its-about-the-journey.com',
      destinationOverride: '',
      digestAlgorithm: 'SHA256',
      honorForceAuthn: false,
      recipient: 'http://here.com',
      recipientOverride: '',
      responseSigned: true,
      samlSignedRequestEnabled: false,
      signatureAlgorithm: 'RSA_SHA256',
      slo: { enabled: false },
      ssoAcsUrl: 'http://google.com',
      ssoAcsUrlOverride: '',
      subjectNameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      subjectNameIdTemplate: '${user.userName}',
    };
    const body = {
      accessibility: { selfService: false },
      credentials: { userNameTemplate: BUILT_IN },
      label: 'testAcc_4171387368',
      settings: { app: {}, implicitAssignment: false, notes: { admin: null, enduser: null }, signOn },
      signOnMode: 'SAML_2_0',
    };
    const app = await createApp(org, body);
    expect(app.name).toMatch(new RegExp(`^${org.subdomain}_testacc4171387368_\\d+$`));
    expect(app.visibility.appLinks).toEqual({ [`${app.name}_link`]: true });
    expect(app.orn).toBe(`orn:svc:idp:${org.id}:apps:${app.name}:${app.id}`);
    expect(app.credentials.signing.kid).toMatch(/^[\w-]{43}$/);
    const { audienceOverride, destinationOverride, recipientOverride, ssoAcsUrlOverride, ...stored } = signOn;
    expect([audienceOverride, destinationOverride, recipientOverride, ssoAcsUrlOverride]).toEqual(['', '', '', '']);
    expect(app.settings.signOn).toEqual({
      ...stored,
      defaultRelayState: null,
      idpIssuer: `${org.baseUrl}/\${org.externalKey}`,
      spIssuer: null,
      requestCompressed: false,
      inlineHooks: [],
      assertionEncryption: { enabled: false },
      acsEndpoints: [],
    });
    expect(app._links.metadata).toEqual({
      href: `${org.baseUrl}${APPS}/${app.id}/sso/saml/metadata`,
      type: 'application/xml',
    });
    expect(app._links.help.type).toBe('text/html');
  });

  test('AUTO_LOGIN, whose name the service makes too', async () => {
    const settings = { signOn: { redirectUrl: 'https://example.com', loginUrl: 'https://example.com/login.html' } };
    const first = await createApp(org, { label: 'testAcc 1', signOnMode: 'AUTO_LOGIN', settings });
    const second = await createApp(org, { label: 'testAcc 1', signOnMode: 'AUTO_LOGIN', settings });
    expect(first.name).toMatch(new RegExp(`^${org.subdomain}_testacc1_\\d+$`));
    expect(second.name).not.toBe(first.name);
    expect(first.settings).toEqual({ ...COMMON_SETTINGS, app: {}, ...settings });
    expect(first.credentials).toMatchObject({ scheme: 'EDIT_USERNAME_AND_PASSWORD', signing: {} });
  });
});
