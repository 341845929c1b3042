import { all, type Settings, shown } from './proof.ts';

const UNUSED = 'Nobody can sign in with another identity provider yet, so the setting is stored without effect.';

/** Most settings of identity providers have no effect until users can sign in through a provider. */
export const PROVIDERS: Settings = {
  name: shown('webfinger-links', 'a new name shows at once'),
  status: shown('webfinger-links', 'the first provider that is active; without one, the next rule decides'),
  type: shown('identity-providers', 'is paged, and narrowed by name and type'),
  'protocol.type': shown('webfinger-links', 'a provider of another protocol has no metadata, and says so'),
  ...all(
    `
      issuerMode protocol.endpoints.sso.url protocol.endpoints.sso.binding protocol.endpoints.sso.destination
      protocol.endpoints.sso.type protocol.endpoints.slo.url protocol.endpoints.slo.binding
      protocol.endpoints.slo.destination protocol.endpoints.slo.type protocol.endpoints.acs.url
      protocol.endpoints.acs.binding protocol.endpoints.acs.destination protocol.endpoints.acs.type
      protocol.endpoints.authorization.url protocol.endpoints.authorization.binding
      protocol.endpoints.authorization.destination protocol.endpoints.authorization.type
      protocol.endpoints.token.url protocol.endpoints.token.binding protocol.endpoints.token.destination
      protocol.endpoints.token.type protocol.endpoints.userInfo.url protocol.endpoints.userInfo.binding
      protocol.endpoints.userInfo.destination protocol.endpoints.userInfo.type protocol.endpoints.jwks.url
      protocol.endpoints.jwks.binding protocol.endpoints.jwks.destination protocol.endpoints.jwks.type
      protocol.endpoints.par.url protocol.endpoints.par.binding protocol.endpoints.par.destination
      protocol.endpoints.par.type protocol.algorithms.request.signature.algorithm
      protocol.algorithms.request.signature.scope protocol.algorithms.request.digest
      protocol.algorithms.response.signature.algorithm protocol.algorithms.response.signature.scope
      protocol.relayState.format protocol.settings.nameFormat protocol.settings.honorPersistentNameId
      protocol.settings.participateSlo protocol.settings.sendApplicationContext protocol.scopes
      protocol.issuer.url protocol.credentials.trust.issuer protocol.credentials.trust.audience
      protocol.credentials.trust.kid protocol.credentials.trust.additionalKids
      protocol.credentials.trust.revocation protocol.credentials.trust.revocationCacheLifetime
      protocol.credentials.signing.kid protocol.credentials.signing.teamId
      protocol.credentials.signing.privateKey protocol.credentials.client.client_id
      protocol.credentials.client.client_secret protocol.credentials.client.pkce_required
      protocol.credentials.client.token_endpoint_auth_method protocol.credentials.bearer.apiKey
      policy.provisioning.action policy.provisioning.profileMaster policy.provisioning.groups.action
      policy.provisioning.groups.assignments policy.provisioning.groups.filter
      policy.provisioning.groups.sourceAttributeName policy.provisioning.conditions.deprovisioned.action
      policy.provisioning.conditions.suspended.action policy.accountLink.action
      policy.accountLink.filter.groups.include policy.accountLink.filter.users.exclude
      policy.accountLink.filter.users.excludeAdmins policy.subject.userNameTemplate.template
      policy.subject.filter policy.subject.matchType policy.subject.matchAttribute policy.maxClockSkew
      policy.trustClaims policy.mapAMRClaims properties.aalValue properties.ialValue properties.additionalAmr
      properties.allowDynamicUserMatching properties.allowUserUpdates properties.idvMetadata.vendorDisplayName
      properties.idvMetadata.termsOfUse properties.idvMetadata.privacyPolicy properties.inquiryTemplateId
    `.trim(),
    UNUSED,
  ),
};
