import { type AnyRoute, noContent, resourceRoutes, route } from '../../../platform/http/index.ts';
import { EmailSettingsBody, EmailSettingsSchema, TemplateParams } from '../contract.ts';
import { sendTestMail } from '../customizations/send-test-mail.ts';
import { type BrandRoutesPorts, emails, language, templateIn, templateUrl } from '../route-parts.ts';
import { settingsVersion, wireSettings } from '../wire.ts';
import { replaceTemplateSettings } from './change-settings.ts';
import { findTemplateSettings } from './settings-store.ts';

const settings = resourceRoutes({
  ...emails,
  name: 'EmailSettings',
  one: 'the settings of an email template',
  url: `${templateUrl}/settings`,
  params: TemplateParams,
  schema: EmailSettingsSchema,
  wire: wireSettings,
  version: settingsVersion,
});

export const settingsRoutes = ({ db, queueMail, work }: BrandRoutesPorts): AnyRoute[] => [
  settings.get({
    use: async ({ context, params }) => findTemplateSettings(db, context.orgId, templateIn(context, params)),
  }),
  settings.replace({
    body: EmailSettingsBody,
    errors: ['E0000189'],
    use: async ({ context, params, body }) =>
      replaceTemplateSettings(work, context, templateIn(context, params), body.recipients),
  }),
  route({
    ...settings.reading,
    // This request sends an email, so the permission to read does not suffice.
    permission: 'templates.manage',
    operationId: 'sendTestEmail',
    method: 'POST',
    url: `${templateUrl}/test`,
    summary: 'Send a test email',
    params: TemplateParams,
    query: { language },
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000047'],
    handler: async ({ context, params, query }) => {
      await sendTestMail({ queueMail, work }, context, templateIn(context, params), query.language);
      return noContent();
    },
  }),
];
