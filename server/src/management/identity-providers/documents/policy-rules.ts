import { compilePattern, PATTERN_PROBLEMS } from '../../../expression/index.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import type { PolicyInput, PropertiesInput } from '../contract.ts';
import type { AccountLinkFilter, PolicyDocument, PropertiesDocument } from './document-contract.ts';
import { optional, textOrNull } from './shape-rules.ts';
import { isSocial, type ProviderType, typeFacts } from './type-rules.ts';
import { readSecureUri } from './uri-rules.ts';

const DEFAULT_TEMPLATE = 'idpuser.email';

type ProvisioningInput = PolicyInput['provisioning'];

/** MTLS and identity verification cannot provision users. Only SAML can append or synchronize groups. */
function checkProvisioning(type: ProviderType, { action, groups }: PolicyDocument['provisioning']): void {
  const [protocol] = typeFacts(type).protocols;
  if ((protocol === 'MTLS' || protocol === 'ID_PROOFING') && action !== 'DISABLED') {
    throw invalid('policy.provisioning.action', `must be DISABLED for the type ${type}.`);
  }
  if (protocol !== 'SAML2' && groups.action !== 'NONE' && groups.action !== 'ASSIGN') {
    throw invalid('policy.provisioning.groups.action', `must be NONE or ASSIGN for the type ${type}.`);
  }
}

function readProvisioning(type: ProviderType, input: ProvisioningInput): PolicyDocument['provisioning'] {
  const [protocol] = typeFacts(type).protocols;
  const takesPeople = protocol !== 'MTLS' && protocol !== 'ID_PROOFING';
  const { groups, conditions } = input ?? {};
  const provisioning = {
    action: input?.action ?? (takesPeople ? 'AUTO' : 'DISABLED'),
    profileMaster: input?.profileMaster ?? false,
    groups: {
      action: groups?.action ?? 'NONE',
      ...optional('assignments', groups?.assignments),
      ...optional('filter', groups?.filter),
      ...optional('sourceAttributeName', textOrNull(groups?.sourceAttributeName)),
    },
    conditions: {
      deprovisioned: { action: conditions?.deprovisioned?.action ?? 'NONE' },
      suspended: { action: conditions?.suspended?.action ?? 'NONE' },
    },
  } as const;
  checkProvisioning(type, provisioning);
  return provisioning;
}

function readAccountLinkFilter(input: PolicyInput): AccountLinkFilter | null {
  const filter = input.accountLink?.filter;
  if (!filter) return null;
  const include = filter.groups?.include;
  const users = {
    ...optional('exclude', filter.users?.exclude),
    ...optional('excludeAdmins', filter.users?.excludeAdmins),
  };
  const read = {
    ...(include ? { groups: { include } } : {}),
    ...(Object.keys(users).length > 0 ? { users } : {}),
  };
  return Object.keys(read).length > 0 ? read : null;
}

/**
 * Only SAML2 and OIDC providers may have a filter. The `stored` filter is not checked again, because it may be older
 * than the current limits.
 */
function readNameFilter(type: ProviderType, text: string | null, stored: string | null): string | null {
  if (text === null) return null;
  const field = 'policy.subject.filter';
  if (type !== 'SAML2' && type !== 'OIDC') throw invalid(field, 'belongs to the types SAML2 and OIDC.');
  const made = text === stored ? null : compilePattern(text);
  if (made?.ok === false) throw invalid(field, PATTERN_PROBLEMS[made.problem]);
  return text;
}

function readSubject(
  type: ProviderType,
  { subject }: PolicyInput,
  before: PolicyDocument | undefined,
): PolicyDocument['subject'] {
  const matchType = subject?.matchType ?? 'USERNAME';
  const matchAttribute = textOrNull(subject?.matchAttribute);
  const isCustom = matchType === 'CUSTOM_ATTRIBUTE';
  if (isCustom !== (matchAttribute !== null)) {
    const field = 'policy.subject.matchAttribute';
    throw isCustom ? required(field) : invalid(field, 'belongs to the matchType CUSTOM_ATTRIBUTE.');
  }
  return {
    template: textOrNull(subject?.userNameTemplate?.template) ?? DEFAULT_TEMPLATE,
    filter: readNameFilter(type, textOrNull(subject?.filter), before?.subject.filter ?? null),
    matchType,
    matchAttribute,
  };
}

/** `before` is the policy that the new one replaces. */
export function readPolicy(type: ProviderType, input: PolicyInput, before?: PolicyDocument): PolicyDocument {
  return {
    provisioning: readProvisioning(type, input.provisioning),
    accountLink: { action: input.accountLink?.action ?? 'AUTO', filter: readAccountLinkFilter(input) },
    subject: readSubject(type, input, before),
    maxClockSkewMilliseconds: input.maxClockSkew ?? 0,
    ...optional('trustClaims', input.trustClaims ?? (isSocial(type) ? null : false)),
    ...optional('mapAMRClaims', input.mapAMRClaims),
  };
}

const LINKS = ['termsOfUse', 'privacyPolicy'] as const;

function readVerifier(input: PropertiesInput): PropertiesDocument['idvMetadata'] {
  const given = input.idvMetadata;
  if (!given) return undefined;
  for (const name of LINKS) {
    const url = textOrNull(given[name]);
    if (url !== null) readSecureUri(`properties.idvMetadata.${name}`, url);
  }
  return {
    ...optional('vendorDisplayName', textOrNull(given.vendorDisplayName)),
    ...optional('termsOfUse', textOrNull(given.termsOfUse)),
    ...optional('privacyPolicy', textOrNull(given.privacyPolicy)),
  };
}

export function readProperties(
  type: ProviderType,
  input: PropertiesInput | null | undefined,
): PropertiesDocument | null {
  const template = textOrNull(input?.inquiryTemplateId);
  if (type === 'IDV_PERSONA' && !template?.startsWith('itmpl')) {
    throw invalid('properties.inquiryTemplateId', 'must be the id of a template (itmpl...).');
  }
  const read: PropertiesDocument = {
    ...optional('aalValue', textOrNull(input?.aalValue)),
    ...optional('ialValue', textOrNull(input?.ialValue)),
    ...optional('additionalAmr', input?.additionalAmr),
    ...optional('allowDynamicUserMatching', input?.allowDynamicUserMatching),
    ...optional('allowUserUpdates', input?.allowUserUpdates),
    ...optional('idvMetadata', input ? readVerifier(input) : null),
    ...optional('inquiryTemplateId', template),
  };
  return Object.keys(read).length > 0 ? read : null;
}
