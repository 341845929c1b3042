import { type Static, Type } from '@sinclair/typebox';

export const BrandIdParams = Type.Object({ brandId: Type.String() });
export const TemplateParams = Type.Object({ brandId: Type.String(), templateName: Type.String() });
export const CustomizationParams = Type.Object({
  brandId: Type.String(),
  templateName: Type.String(),
  customizationId: Type.String(),
});

const links = Type.Record(Type.String(), Type.Unknown());
const date = Type.String({ format: 'date-time' });

export const BrandSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  isDefault: Type.Boolean(),
  agreeToCustomPrivacyPolicy: Type.Boolean(),
  customPrivacyPolicyUrl: Type.Null(),
  defaultApp: Type.Object({
    appInstanceId: Type.Null(),
    appLinkName: Type.Null(),
    classicApplicationUri: Type.Null(),
  }),
  _embedded: Type.Optional(Type.Object({ themes: Type.Array(Type.Unknown()) })),
  _links: links,
});
export const BrandListSchema = Type.Array(BrandSchema);

export const EmailSettingsBody = Type.Object({
  recipients: Type.String({ description: 'Who gets the email: `ALL_USERS`, `ADMINS_ONLY` or `NO_USERS`.' }),
});
export const EmailSettingsSchema = Type.Object({ recipients: Type.String(), _links: links });

export const EmailTemplateSchema = Type.Object({
  name: Type.String(),
  _embedded: Type.Optional(
    Type.Object({ customizationCount: Type.Optional(Type.Integer()), settings: Type.Optional(EmailSettingsSchema) }),
  ),
  _links: links,
});
export const EmailTemplateListSchema = Type.Array(EmailTemplateSchema);

export const EmailCustomizationBody = Type.Object({
  language: Type.String({ description: 'A language tag (RFC 5646).' }),
  isDefault: Type.Optional(
    Type.Boolean({
      description: 'Whether it is for readers of all other languages. The first customization always is.',
    }),
  ),
  subject: Type.String({ description: 'The subject, in one line. It can contain variables.' }),
  body: Type.String({
    description: 'The email as HTML. It must contain the variable of the link, if the template has one.',
  }),
});
export type EmailCustomizationInput = Static<typeof EmailCustomizationBody>;

export const EmailCustomizationSchema = Type.Object({
  id: Type.String(),
  language: Type.String(),
  isDefault: Type.Boolean(),
  subject: Type.String(),
  body: Type.String(),
  created: date,
  lastUpdated: date,
  _links: links,
});
export const EmailCustomizationListSchema = Type.Array(EmailCustomizationSchema);

/** A subject and a body, which contain either variables or their values. */
export const EmailContentSchema = Type.Object({ subject: Type.String(), body: Type.String(), _links: links });
