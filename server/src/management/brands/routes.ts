import type { Context } from '../../kernel/context.ts';
import { type AnyRoute, type KeysetRequest, keysetPage, ok, page, route, text } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findOrgName } from '../orgs/index.ts';
import {
  BrandIdParams,
  BrandListSchema,
  BrandSchema,
  CustomizationParams,
  EmailContentSchema,
  EmailTemplateListSchema,
  EmailTemplateSchema,
  TemplateParams,
} from './contract.ts';
import { customizationRoutes } from './customizations/customization-routes.ts';
import { mailLookFor } from './customizations/mail-look.ts';
import { defaultContentOf, previewOf } from './customizations/show-content.ts';
import { EMAIL_TEMPLATE_NAMES, type EmailTemplateName, readTemplateName } from './customizations/template-names.ts';
import {
  assertBrand,
  type BrandRoutesPorts,
  brands,
  collection,
  customization,
  customizationIn,
  expand,
  expandBrand,
  language,
  paging,
  reading,
  single,
  template,
  templateIn,
} from './route-parts.ts';
import { settingsRoutes } from './settings/settings-routes.ts';
import { findTemplateSettings } from './settings/settings-store.ts';
import { countCustomizations } from './store.ts';
import { themeRoutes } from './themes/theme-routes.ts';
import { findTheme } from './themes/theme-store.ts';
import { wireTheme } from './themes/wire.ts';
import { brandIdOf, wireBrand, wireDefaultContent, wirePreview, wireTemplate } from './wire.ts';

/** A page of names from the source code. */
const namesBeyond = ({ backwards, key, rows }: KeysetRequest<string>, names: readonly string[]): string[] => {
  const ordered = backwards ? names.toReversed() : names;
  return ordered.filter((name) => key === null || (backwards ? name < key : name > key)).slice(0, rows);
};

/** The theme of the org's brand, if `expand` names it. */
const themesAsked = async (db: Db, context: Context, expanded: readonly string[]) =>
  expanded.flatMap((one) => one.split(',')).includes('themes')
    ? [wireTheme(await findTheme(db, context.orgId), context)]
    : null;

const brandRoutes = ({ cursors, db }: BrandRoutesPorts): AnyRoute[] => [
  route({
    ...brands,
    operationId: 'listBrands',
    method: 'GET',
    url: collection,
    summary: 'List all brands: the org has one',
    query: { ...paging(200), expand: expandBrand, q: text('Brands whose name starts with this.', 255) },
    response: { status: 200, schema: BrandListSchema },
    errors: ['E0000001', 'E0000037'],
    handler: async ({ context, query, rawQuery }) => {
      const { orgId } = context;
      const name = await findOrgName(db, orgId);
      const isAsked = name.toLowerCase().startsWith((query.q ?? '').toLowerCase());
      const ids = isAsked ? [brandIdOf(orgId)] : [];
      const { after, before, limit: most } = query;
      const place = { orgId, list: 'listBrands', limit: most, after, before, query: rawQuery };
      const { links, rows } = await keysetPage(cursors, place, String, async (request) => namesBeyond(request, ids));
      const embedded = await themesAsked(db, context, query.expand);
      return page(
        rows.map(() => wireBrand(context, name, embedded)),
        links,
      );
    },
  }),
  route({
    ...brands,
    operationId: 'getBrand',
    method: 'GET',
    url: single,
    summary: 'Retrieve a brand',
    params: BrandIdParams,
    query: { expand: expandBrand },
    response: { status: 200, schema: BrandSchema },
    errors: ['E0000007'],
    handler: async ({ context, params, query }) => {
      assertBrand(context, params);
      const embedded = await themesAsked(db, context, query.expand);
      return ok(wireBrand(context, await findOrgName(db, context.orgId), embedded));
    },
  }),
];

const templateRoutes = ({ cursors, db }: BrandRoutesPorts): AnyRoute[] => {
  const wired = async (context: Context, name: EmailTemplateName, expanded: readonly string[]) => {
    const asked = new Set(expanded.flatMap((one) => one.split(',')));
    const { orgId } = context;
    return wireTemplate(context, name, {
      ...(asked.has('settings') ? { settings: await findTemplateSettings(db, orgId, name) } : {}),
      ...(asked.has('customizationCount') ? { customizationCount: await countCustomizations(db, orgId, name) } : {}),
    });
  };
  return [
    route({
      ...reading,
      operationId: 'listEmailTemplates',
      method: 'GET',
      url: `${single}/templates/email`,
      summary: 'List all email templates',
      params: BrandIdParams,
      query: { ...paging(200), expand },
      response: { status: 200, schema: EmailTemplateListSchema },
      errors: ['E0000001', 'E0000007', 'E0000037'],
      handler: async ({ context, params, query, rawQuery }) => {
        assertBrand(context, params);
        const { after, before, expand: expanded, limit: most } = query;
        const place = { orgId: context.orgId, list: 'listEmailTemplates', limit: most, after, before, query: rawQuery };
        const { links, rows } = await keysetPage(cursors, place, String, async (request) =>
          namesBeyond(request, EMAIL_TEMPLATE_NAMES),
        );
        return page(await Promise.all(rows.map((name) => wired(context, readTemplateName(name), expanded))), links);
      },
    }),
    route({
      ...reading,
      operationId: 'getEmailTemplate',
      method: 'GET',
      url: template,
      summary: 'Retrieve an email template',
      params: TemplateParams,
      query: { expand },
      response: { status: 200, schema: EmailTemplateSchema },
      errors: ['E0000007'],
      handler: async ({ context, params, query }) =>
        ok(await wired(context, templateIn(context, params), query.expand)),
    }),
  ];
};

const contentRoutes = ({ db }: BrandRoutesPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'getEmailDefaultContent',
    method: 'GET',
    url: `${template}/default-content`,
    summary: 'Retrieve our own content of an email template',
    params: TemplateParams,
    query: { language },
    response: { status: 200, schema: EmailContentSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, query }) => {
      const name = templateIn(context, params);
      return ok(
        wireDefaultContent(context, name, await defaultContentOf(db, context, name, query.language, null), false),
      );
    },
  }),
  route({
    ...reading,
    operationId: 'getEmailDefaultPreview',
    method: 'GET',
    url: `${template}/default-content/preview`,
    summary: 'Preview our own content of an email template',
    params: TemplateParams,
    query: { language },
    response: { status: 200, schema: EmailContentSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, query }) => {
      const name = templateIn(context, params);
      const content = await defaultContentOf(db, context, name, query.language, await mailLookFor(db, context));
      return ok(wireDefaultContent(context, name, await previewOf(db, context, name, content), true));
    },
  }),
  route({
    ...reading,
    operationId: 'getCustomizationPreview',
    method: 'GET',
    url: `${customization}/preview`,
    summary: 'Preview an email customization',
    params: CustomizationParams,
    response: { status: 200, schema: EmailContentSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const row = await customizationIn(db, context, params);
      return ok(wirePreview(context, row, await previewOf(db, context, row.template, row)));
    },
  }),
];

/** Routes for the org's brand, its theme and its mails. */
export const brandsRoutes = (ports: BrandRoutesPorts): AnyRoute[] => [
  ...brandRoutes(ports),
  ...templateRoutes(ports),
  ...contentRoutes(ports),
  ...customizationRoutes(ports),
  ...settingsRoutes(ports),
  ...themeRoutes(ports),
];
