import type { Context } from '../../kernel/context.ts';
import { linkTo } from '../../kernel/errors/hints.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { derivedId, type OrgId } from '../../kernel/words/ids.ts';
import type { CustomContent } from '../../platform/mail/index.ts';
import { changeTarget, type Target } from '../../system-log/index.ts';
import type { EmailTemplateName } from './customizations/template-names.ts';
import type { TemplateSettings } from './settings/settings-store.ts';
import type { EmailCustomization } from './store.ts';

type Wire = Record<string, unknown>;

/** The brand is not stored, so its id is derived from the id of the org. */
export const brandIdOf = (orgId: OrgId): string => derivedId('brand', orgId, 'default brand');

const TEMPLATE = '/api/v1/brands/:brandId/templates/email/:templateName';
const CUSTOMIZATION = `${TEMPLATE}/customizations/:customizationId` as const;

export const link = (href: string, ...allow: string[]) => ({ href, hints: { allow } });

export const brandAddress = ({ baseUrl, orgId }: Context): string => `${baseUrl}/api/v1/brands/${brandIdOf(orgId)}`;
const templateAddress = (context: Context, template: EmailTemplateName): string =>
  `${brandAddress(context)}/templates/email/${template}`;

export const wireBrand = (context: Context, name: string, themes: readonly Wire[] | null): Wire => ({
  id: brandIdOf(context.orgId),
  name,
  isDefault: true,
  agreeToCustomPrivacyPolicy: false,
  customPrivacyPolicyUrl: null,
  [`removePoweredBy${context.namespace.capitalised}`]: false,
  defaultApp: { appInstanceId: null, appLinkName: null, classicApplicationUri: null },
  _links: {
    self: link(brandAddress(context), 'GET'),
    themes: link(`${brandAddress(context)}/themes`, 'GET'),
  },
  ...(themes === null ? {} : { _embedded: { themes } }),
});

const settingsAddress = (context: Context, template: EmailTemplateName): string =>
  `${templateAddress(context, template)}/settings`;

export const wireSettings = ({ recipients, template }: TemplateSettings, context: Context): Wire => ({
  recipients,
  _links: {
    self: linkTo(settingsAddress(context, template), `${TEMPLATE}/settings`),
    template: link(templateAddress(context, template), 'GET'),
  },
});

export interface TemplateExpansion {
  readonly settings?: TemplateSettings;
  readonly customizationCount?: number;
}

export function wireTemplate(
  context: Context,
  template: EmailTemplateName,
  { settings, ...counted }: TemplateExpansion,
): Wire {
  const embedded = { ...counted, ...(settings === undefined ? {} : { settings: wireSettings(settings, context) }) };
  const address = templateAddress(context, template);
  return {
    name: template,
    ...(Object.keys(embedded).length === 0 ? {} : { _embedded: embedded }),
    _links: {
      self: link(address, 'GET'),
      settings: linkTo(settingsAddress(context, template), `${TEMPLATE}/settings`),
      defaultContent: link(`${address}/default-content`, 'GET'),
      customizations: linkTo(`${address}/customizations`, `${TEMPLATE}/customizations`),
      test: link(`${address}/test`, 'POST'),
    },
  };
}

const customizationAddress = (context: Context, { id, template }: EmailCustomization): string =>
  `${templateAddress(context, template)}/customizations/${id}`;

export function wireCustomization(customization: EmailCustomization, context: Context): Wire {
  const { body, createdAt, id, isDefault, language, lastUpdatedAt, subject, template } = customization;
  const address = customizationAddress(context, customization);
  return {
    id,
    language,
    isDefault,
    subject,
    body,
    created: wireDate(createdAt),
    lastUpdated: wireDate(lastUpdatedAt),
    _links: {
      self: linkTo(address, CUSTOMIZATION),
      template: link(templateAddress(context, template), 'GET'),
      preview: link(`${address}/preview`, 'GET'),
    },
  };
}

export function wireDefaultContent(
  context: Context,
  template: EmailTemplateName,
  { body, subject }: CustomContent,
  preview: boolean,
): Wire {
  const address = `${templateAddress(context, template)}/default-content`;
  const other = preview ? { defaultContent: link(address, 'GET') } : { preview: link(`${address}/preview`, 'GET') };
  const self = link(preview ? `${address}/preview` : address, 'GET');
  return { subject, body, _links: { self, template: link(templateAddress(context, template), 'GET'), ...other } };
}

export function wirePreview(
  context: Context,
  customization: EmailCustomization,
  { body, subject }: CustomContent,
): Wire {
  const address = customizationAddress(context, customization);
  const links = {
    self: link(`${address}/preview`, 'GET'),
    contentSource: linkTo(address, CUSTOMIZATION),
    template: link(templateAddress(context, customization.template), 'GET'),
  };
  return { subject, body, _links: links };
}

export const customizationVersion = ({ id, revision }: EmailCustomization): Version => ({
  kind: 'emailCustomization',
  id,
  revision,
});

const customizationTarget = ({ id, language, template }: EmailCustomization): Target => ({
  id,
  type: 'EmailTemplate',
  alternateId: language,
  displayName: template,
});

export const customizationChange = changeTarget(
  customizationTarget,
  ({ body, isDefault, language, subject, template }) => ({ template, language, isDefault, subject, body }),
);

export const settingsVersion = ({ revision, template }: TemplateSettings): Version => ({
  kind: 'emailTemplateSettings',
  id: template,
  revision,
});

export const settingsChange = changeTarget(
  ({ template }: TemplateSettings): Target => ({
    id: template,
    type: 'EmailTemplate',
    alternateId: null,
    displayName: template,
  }),
  ({ recipients }) => ({ recipients }),
);
