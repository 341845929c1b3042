import type { Context } from '../../kernel/context.ts';
import {
  type AnyRoute,
  type KeysetRequest,
  keysetPage,
  ok,
  paging,
  repeatable,
  resourceRoutes,
  route,
  text,
} from '../../platform/http/index.ts';
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
  brandUrl,
  customizationIn,
  emails,
  language,
  templateIn,
  templateUrl,
} from './route-parts.ts';
import { settingsRoutes } from './settings/settings-routes.ts';
import { findTemplateSettings } from './settings/settings-store.ts';
import { countCustomizations } from './store.ts';
import { themeRoutes } from './themes/theme-routes.ts';
import { findTheme } from './themes/theme-store.ts';
import { wireTheme } from './themes/wire.ts';
import { brandIdOf, type TemplateExpansion, wireBrand, wireDefaultContent, wirePreview, wireTemplate } from './wire.ts';

/** Returns one page of a sorted list of names that is not stored in the database. */
const namesBeyond = ({ backwards, key, rows }: KeysetRequest<string>, names: readonly string[]): string[] => {
  const ordered = backwards ? names.toReversed() : names;
  return ordered.filter((name) => key === null || (backwards ? name < key : name > key)).slice(0, rows);
};

const themesAsked = async (db: Db, context: Context, expanded: readonly string[]) =>
  expanded.flatMap((one) => one.split(',')).includes('themes')
    ? [wireTheme(await findTheme(db, context.orgId), context)]
    : null;

const expandBrand = repeatable('What to embed: `themes`. A brand has no domains of its own.', 64);
const brands = resourceRoutes({
  tag: 'Brands',
  name: 'Brand',
  one: 'a brand',
  all: 'all brands',
  scope: 'brands',
  url: brandUrl,
  params: BrandIdParams,
  schema: BrandSchema,
  wire: ([name, themes]: readonly [string, Awaited<ReturnType<typeof themesAsked>>], context) =>
    wireBrand(context, name, themes),
});

const brandRoutes = ({ cursors, db }: BrandRoutesPorts): AnyRoute[] => [
  brands.list({
    query: {
      ...paging({ default: 20, maximum: 200 }),
      expand: expandBrand,
      q: text('Lists only brands whose name starts with this text.', 255),
    },
    schema: BrandListSchema,
    use: async ({ context, query, rawQuery }) => {
      const { orgId } = context;
      const name = await findOrgName(db, orgId);
      const isAsked = name.toLowerCase().startsWith((query.q ?? '').toLowerCase());
      const ids = isAsked ? [brandIdOf(orgId)] : [];
      const { after, before, limit } = query;
      const place = { orgId, list: 'listBrands', limit, after, before, query: rawQuery };
      const { links, rows } = await keysetPage(cursors, place, String, async (request) => namesBeyond(request, ids));
      const themes = await themesAsked(db, context, query.expand);
      return { links, rows: rows.map(() => [name, themes] as const) };
    },
  }),
  brands.get({
    query: { expand: expandBrand },
    use: async ({ context, params, query }) => {
      assertBrand(context, params);
      const themes = await themesAsked(db, context, query.expand);
      return [await findOrgName(db, context.orgId), themes];
    },
  }),
];

const expand = repeatable('What to embed: `settings`, `customizationCount` or both.', 64);
const templates = resourceRoutes({
  ...emails,
  name: 'EmailTemplate',
  one: 'an email template',
  all: 'all email templates',
  url: templateUrl,
  of: BrandIdParams,
  params: TemplateParams,
  schema: EmailTemplateSchema,
  wire: ([name, expansion]: readonly [EmailTemplateName, TemplateExpansion], context) =>
    wireTemplate(context, name, expansion),
});

async function showTemplate(db: Db, { orgId }: Context, name: EmailTemplateName, expanded: readonly string[]) {
  const asked = new Set(expanded.flatMap((one) => one.split(',')));
  return [
    name,
    {
      ...(asked.has('settings') ? { settings: await findTemplateSettings(db, orgId, name) } : {}),
      ...(asked.has('customizationCount') ? { customizationCount: await countCustomizations(db, orgId, name) } : {}),
    },
  ] as const;
}

const templateRoutes = ({ cursors, db }: BrandRoutesPorts): AnyRoute[] => [
  templates.list({
    query: { ...paging({ default: 20, maximum: 200 }), expand },
    schema: EmailTemplateListSchema,
    use: async ({ context, params, query, rawQuery }) => {
      assertBrand(context, params);
      const { after, before, limit } = query;
      const place = { orgId: context.orgId, list: 'listEmailTemplates', limit, after, before, query: rawQuery };
      const { links, rows } = await keysetPage(cursors, place, String, async (request) =>
        namesBeyond(request, EMAIL_TEMPLATE_NAMES),
      );
      const shown = rows.map((name) => showTemplate(db, context, readTemplateName(name), query.expand));
      return { links, rows: await Promise.all(shown) };
    },
  }),
  templates.get({
    query: { expand },
    use: async ({ context, params, query }) => showTemplate(db, context, templateIn(context, params), query.expand),
  }),
];

const contentRoutes = ({ db }: BrandRoutesPorts): AnyRoute[] => [
  route({
    ...templates.reading,
    operationId: 'getEmailDefaultContent',
    method: 'GET',
    url: `${templateUrl}/default-content`,
    summary: 'Retrieve the default content of an email template',
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
    ...templates.reading,
    operationId: 'getEmailDefaultPreview',
    method: 'GET',
    url: `${templateUrl}/default-content/preview`,
    summary: 'Preview the default content of an email template',
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
    ...templates.reading,
    operationId: 'getCustomizationPreview',
    method: 'GET',
    url: `${templateUrl}/customizations/:customizationId/preview`,
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

export const brandsRoutes = (ports: BrandRoutesPorts): AnyRoute[] => [
  ...brandRoutes(ports),
  ...templateRoutes(ports),
  ...contentRoutes(ports),
  ...customizationRoutes(ports),
  ...settingsRoutes(ports),
  ...themeRoutes(ports),
];
