import { answer, body, type NamedSchemas } from './named-schema.ts';
import { exampleId } from './path-parameters.ts';

export const ORG_SCHEMAS: NamedSchemas = {
  OrgMetadata: answer('getWellknownOrgMetadata', 'The public metadata of an org.'),
  OrgSettings: answer('getOrgSettings', 'The general settings of an org.'),
  OrgSettingsRequest: body('updateOrgSettings', 'General settings of an org.', {
    companyName: 'Example Ltd',
    website: 'https://www.example.com',
  }),
  Feature: answer('getFeature', 'A feature that an org can switch on and off.'),
  ApiToken: answer('getApiToken', 'An API token: everything but the token itself, which is never shown again.'),
  ApiTokenRequest: body('upsertApiToken', 'The name of an API token, and the networks from which it may be used.', {
    name: 'Deployment',
    network: { connection: 'ANYWHERE' },
  }),
  TrustedOrigin: answer('getTrustedOrigin', 'An origin that may call the API from a browser or be redirected to.'),
  TrustedOriginRequest: body('createTrustedOrigin', 'A trusted origin, as it is created or replaced.', {
    name: 'Single-page app',
    origin: 'https://app.example.com',
    scopes: [{ type: 'CORS' }, { type: 'REDIRECT' }],
  }),
  NetworkZone: answer('getNetworkZone', 'A network zone: addresses, places or networks that policies name.'),
  NetworkZoneRequest: body(
    'createNetworkZone',
    'A network zone, as it is created or replaced. Its other members depend on its type.',
    {
      type: 'IP',
      name: 'Office',
      usage: 'POLICY',
      gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }],
    },
  ),
  Behavior: answer('getBehaviorDetectionRule', 'A behavior that rules can name. No sign-in is compared with it yet.'),
  BehaviorRequest: body('createBehaviorDetectionRule', 'A behavior, as it is created or replaced.', {
    name: 'New address',
    type: 'ANOMALOUS_IP',
    settings: { maxEventsUsedForEvaluation: 50, minEventsNeededForEvaluation: 3 },
  }),

  Policy: answer(
    'getPolicy',
    'A policy. `X-Policy-Evaluation: none` says that nothing evaluates its type yet. `closed` says that an ' +
      'active rule requires something that cannot be checked yet, and therefore lets nobody in.',
  ),
  PolicyInList: answer('listPolicies', 'A policy as lists show it.'),
  PolicyRequest: body('createPolicy', 'A policy, as it is created or replaced.', {
    type: 'PASSWORD',
    name: 'Engineers',
    description: 'Longer passwords',
    conditions: { people: { groups: { include: [exampleId('group')] } } },
    settings: { password: { complexity: { minLength: 16 } } },
  }),
  PolicyRule: answer('getPolicyRule', 'A rule of a policy.'),
  PolicyRuleRequest: body('createPolicyRule', 'A rule of a policy, as it is created or replaced.', {
    type: 'PASSWORD',
    name: 'Everywhere',
    conditions: { network: { connection: 'ANYWHERE' } },
    actions: { passwordChange: { access: 'ALLOW' } },
  }),
  PolicySimulationRequest: body('createPolicySimulation', 'A sign-in for which policies are evaluated.'),
  PolicySimulation: answer('createPolicySimulation', 'The policies and rules that would apply to a sign-in.'),
  MappedApp: answer('listPolicyApps', 'An app that a policy applies to.'),
  PolicyMappingRequest: body('mapResourceToPolicy', 'The resource that the policy will apply to.', {
    resourceId: exampleId('app'),
    resourceType: 'APP',
  }),

  IdentityProvider: answer('getIdentityProvider', 'An identity provider, which authenticates users elsewhere.'),
  IdentityProviderRequest: body(
    'createIdentityProvider',
    'An identity provider, as it is created or replaced. Its members depend on its type.',
  ),
  IdentityProviderKey: answer('getIdentityProviderKey', 'A certificate with which an identity provider signs.'),
  IdentityProviderKeyRequest: body('createIdentityProviderKey', 'A certificate, as a chain in base64.'),
  IdentityProviderUser: answer(
    'listIdentityProviderApplicationUsers',
    'A user who signs in with an identity provider. There are none yet.',
  ),

  LogEvent: answer('listLogEvents', 'An event of the System Log: who did what to what, and how it ended.'),
  LogCheckpoint: answer('listLogCheckpoints', 'A signed statement about the System Log at a point in time.'),

  EventHook: answer('getEventHook', 'An address that is notified of events.'),
  EventHookRequest: body('createEventHook', 'An event hook, as it is created or replaced.', {
    name: 'New users',
    events: { type: 'EVENT_TYPE', items: ['user.lifecycle.create'] },
    channel: { type: 'HTTP', version: '1.0.0', config: { uri: 'https://hooks.example.com/users' } },
  }),
  LogStream: answer('getLogStream', 'A stream that delivers every event of the System Log to another system.'),
  LogStreamRequest: body(
    'createLogStream',
    'A log stream, as it is created or replaced. Its settings depend on its type.',
    {
      name: 'Archive',
      type: 'https_ndjson',
      settings: { url: 'https://logs.example.com/events' },
    },
  ),
  DeliveryState: answer('getEventHookDelivery', 'The progress of a hook or a stream, and its last error.'),
  Delivery: answer('listEventHookDeliveries', 'An attempt to deliver events.'),
  DeadLetter: answer('listEventHookDeadLetters', 'An event, or a range of events, that will not be delivered.'),
  ReplayRequest: body('replayEventHook', 'Where the delivery continues: at a position or a time.', {
    since: '2026-01-31T00:00:00.000Z',
  }),

  Brand: answer('getBrand', 'The brand of an org.'),
  Theme: answer('getBrandTheme', 'How the pages of an org look.'),
  ThemeRequest: body('replaceBrandTheme', 'The colours and the variants of the pages.'),
  LogoUpload: body('uploadBrandThemeLogo', 'The logo, as the part `file` of a form.'),
  FaviconUpload: body('uploadBrandThemeFavicon', 'The favicon, as the part `file` of a form.'),
  BackgroundImageUpload: body('uploadBrandThemeBackgroundImage', 'The background image, as the part `file` of a form.'),
  UploadedImage: answer('uploadBrandThemeLogo', 'The address of an image that was uploaded.'),
  EmailTemplate: answer('getEmailTemplate', 'A kind of email that Gatehouse sends.'),
  EmailCustomization: answer('getEmailCustomization', 'The text of an email in one language, as the org words it.'),
  EmailCustomizationRequest: body('createEmailCustomization', 'The text of an email in one language.', {
    language: 'en',
    isDefault: true,
    subject: 'Welcome',
    body: '<p>Activate your account: ${activationLink}</p>',
  }),
  EmailContent: answer('getEmailDefaultContent', 'The subject and the body of an email.'),
  EmailSettings: answer('getEmailSettings', 'Who receives a kind of email.'),
  EmailSettingsRequest: body('replaceEmailSettings', 'Who receives a kind of email.', { recipients: 'ALL_USERS' }),
};
