import type { Context } from '../../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  keysetPage,
  noContent,
  page,
  route,
  versioned,
} from '../../../platform/http/index.ts';
import {
  CustomizationParams,
  EmailCustomizationBody,
  EmailCustomizationListSchema,
  EmailCustomizationSchema,
  TemplateParams,
} from '../contract.ts';
import {
  type BrandRoutesPorts,
  customization,
  customizationIn,
  customizations,
  managing,
  paging,
  reading,
  templateIn,
} from '../route-parts.ts';
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

const answer = (row: EmailCustomization, context: Context, status?: 201): Answer =>
  versioned(customizationVersion(row), wireCustomization(row, context), status);

const listRoutes = ({ cursors, db, work }: BrandRoutesPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'listEmailCustomizations',
    method: 'GET',
    url: customizations,
    summary: 'List all email customizations of a template',
    params: TemplateParams,
    query: paging(200),
    response: { status: 200, schema: EmailCustomizationListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params, query, rawQuery }) => {
      const name = templateIn(context, params);
      const { orgId } = context;
      const { after, before, limit: most } = query;
      const place = { orgId, list: `listEmailCustomizations ${name}`, limit: most, after, before, query: rawQuery };
      const { links, rows } = await keysetPage(
        cursors,
        place,
        (row: EmailCustomization) => row.id,
        (request) => readCustomizations(db, orgId, name, request),
      );
      return page(
        rows.map((row) => wireCustomization(row, context)),
        links,
      );
    },
  }),
  route({
    ...managing,
    operationId: 'createEmailCustomization',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: customizations,
    summary: 'Create an email customization',
    params: TemplateParams,
    body: EmailCustomizationBody,
    response: { status: 201, schema: EmailCustomizationSchema },
    errors: ['E0000001', 'E0000007', 'E0000182', 'E0000183'],
    handler: async ({ context, params, body }) =>
      answer(await createCustomization(work, context, templateIn(context, params), body), context, 201),
  }),
  route({
    ...managing,
    operationId: 'deleteAllCustomizations',
    method: 'DELETE',
    url: customizations,
    summary: 'Delete all email customizations of a template',
    params: TemplateParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      await deleteCustomizations(work, context, templateIn(context, params));
      return noContent();
    },
  }),
];

const singleRoutes = ({ db, work }: BrandRoutesPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'getEmailCustomization',
    method: 'GET',
    url: customization,
    summary: 'Retrieve an email customization',
    params: CustomizationParams,
    response: { status: 200, schema: EmailCustomizationSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => answer(await customizationIn(db, context, params), context),
  }),
  route({
    ...managing,
    operationId: 'replaceEmailCustomization',
    bodyLimit: BODY_LIMIT,
    method: 'PUT',
    url: customization,
    summary: 'Replace an email customization',
    params: CustomizationParams,
    body: EmailCustomizationBody,
    response: { status: 200, schema: EmailCustomizationSchema },
    errors: ['E0000001', 'E0000007', 'E0000182', 'E0000183', 'E0000185'],
    conditional: true,
    handler: async ({ context, params, body }) => {
      const name = templateIn(context, params);
      return answer(await replaceCustomization(work, context, name, params.customizationId, body), context);
    },
  }),
  route({
    ...managing,
    operationId: 'deleteEmailCustomization',
    method: 'DELETE',
    url: customization,
    summary: 'Delete an email customization',
    params: CustomizationParams,
    response: { status: 204, schema: null },
    errors: ['E0000007', 'E0000184'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteCustomization(work, context, templateIn(context, params), params.customizationId);
      return noContent();
    },
  }),
];

/** Routes for an org's customized mails. */
export const customizationRoutes = (ports: BrandRoutesPorts): AnyRoute[] => [
  ...listRoutes(ports),
  ...singleRoutes(ports),
];
