import { type AnyRoute, noContent, route, versioned } from '../../../platform/http/index.ts';
import { EmailSettingsBody, EmailSettingsSchema, TemplateParams } from '../contract.ts';
import { sendTestMail } from '../customizations/send-test-mail.ts';
import { type BrandRoutesPorts, language, managing, reading, template, templateIn } from '../route-parts.ts';
import { settingsVersion, wireSettings } from '../wire.ts';
import { replaceTemplateSettings } from './change-settings.ts';
import { findTemplateSettings } from './settings-store.ts';

const url = `${template}/settings`;

/** Routes for the recipients of a template's mails, and for a test mail. */
export const settingsRoutes = ({ db, queueMail, work }: BrandRoutesPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'getEmailSettings',
    method: 'GET',
    url,
    summary: 'Retrieve the settings of an email template',
    params: TemplateParams,
    response: { status: 200, schema: EmailSettingsSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const row = await findTemplateSettings(db, context.orgId, templateIn(context, params));
      return versioned(settingsVersion(row), wireSettings(row, context));
    },
  }),
  route({
    ...managing,
    operationId: 'replaceEmailSettings',
    method: 'PUT',
    url,
    summary: 'Replace the settings of an email template',
    params: TemplateParams,
    body: EmailSettingsBody,
    response: { status: 200, schema: EmailSettingsSchema },
    errors: ['E0000001', 'E0000007', 'E0000189'],
    conditional: true,
    handler: async ({ context, params, body }) => {
      const row = await replaceTemplateSettings(work, context, templateIn(context, params), body.recipients);
      return versioned(settingsVersion(row), wireSettings(row, context));
    },
  }),
  route({
    ...reading,
    // Sending a mail is an effect, so permission to read does not suffice.
    permission: 'templates.manage',
    operationId: 'sendTestEmail',
    method: 'POST',
    url: `${template}/test`,
    summary: 'Send a mail of a template to the own addresses',
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
