import { type AnyRoute, keysetPage, noContent, paging, resourceRoutes, route } from '../../../platform/http/index.ts';
import {
  CustomizationParams,
  EmailCustomizationBody,
  EmailCustomizationListSchema,
  EmailCustomizationSchema,
  TemplateParams,
} from '../contract.ts';
import { type BrandRoutesPorts, customizationIn, emails, templateIn, templateUrl } from '../route-parts.ts';
import { type EmailCustomization, readCustomizations } from '../store.ts';
import { customizationVersion, wireCustomization } from '../wire.ts';
import {
  createCustomization,
  deleteCustomization,
  deleteCustomizations,
  replaceCustomization,
} from './change-customizations.ts';

const BODY_LIMIT = {
  bytes: 393_216,
  reason: 'A mail of 60,000 characters, each of which may be written as an escape.',
};

const customizations = resourceRoutes({
  ...emails,
  name: 'EmailCustomization',
  one: 'an email customization',
  all: 'all email customizations of a template',
  url: `${templateUrl}/customizations/:customizationId`,
  of: TemplateParams,
  params: CustomizationParams,
  schema: EmailCustomizationSchema,
  wire: wireCustomization,
  version: customizationVersion,
});

const deleteAllRoute = ({ work }: BrandRoutesPorts): AnyRoute =>
  route({
    ...customizations.managing,
    operationId: 'deleteAllCustomizations',
    method: 'DELETE',
    url: `${templateUrl}/customizations`,
    summary: 'Delete all email customizations of a template',
    params: TemplateParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      await deleteCustomizations(work, context, templateIn(context, params));
      return noContent();
    },
  });

export const customizationRoutes = (ports: BrandRoutesPorts): AnyRoute[] => [
  customizations.list({
    query: paging({ default: 20, maximum: 200 }),
    schema: EmailCustomizationListSchema,
    use: ({ context, params, query, rawQuery }) => {
      const name = templateIn(context, params);
      const { orgId } = context;
      const place = { orgId, list: `listEmailCustomizations ${name}`, ...query, query: rawQuery };
      return keysetPage(
        ports.cursors,
        place,
        (row: EmailCustomization) => row.id,
        (request) => readCustomizations(ports.db, orgId, name, request),
      );
    },
  }),
  customizations.create({
    body: EmailCustomizationBody,
    bodyLimit: BODY_LIMIT,
    status: 201,
    errors: ['E0000182', 'E0000183'],
    idempotent: false,
    use: ({ context, params, body }) => createCustomization(ports.work, context, templateIn(context, params), body),
  }),
  deleteAllRoute(ports),
  customizations.get({
    use: ({ context, params }) => customizationIn(ports.db, context, params),
  }),
  customizations.replace({
    body: EmailCustomizationBody,
    bodyLimit: BODY_LIMIT,
    errors: ['E0000182', 'E0000183', 'E0000185'],
    use: ({ context, params, body }) =>
      replaceCustomization(ports.work, context, templateIn(context, params), params.customizationId, body),
  }),
  customizations.delete({
    errors: ['E0000184'],
    use: ({ context, params }) =>
      deleteCustomization(ports.work, context, templateIn(context, params), params.customizationId),
  }),
];
