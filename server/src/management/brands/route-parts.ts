import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { cursor, limit, repeatable, text } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { TestMailPorts } from './customizations/send-test-mail.ts';
import { type EmailTemplateName, readTemplateName } from './customizations/template-names.ts';
import { type EmailCustomization, findCustomization } from './store.ts';
import { brandIdOf } from './wire.ts';

export interface BrandRoutesPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  readonly queueMail: TestMailPorts['queueMail'];
}

const common = { access: 'authenticated', bucket: 'management', cors: false } as const;
export const brands = { ...common, tag: 'Brands', scopes: ['brands.read'], permission: 'brands.read' } as const;
export const themesReading = { ...brands, tag: 'Themes' } as const;
export const themesManaging = {
  ...common,
  tag: 'Themes',
  scopes: ['brands.manage'],
  permission: 'brands.manage',
} as const;
const templates = { ...common, tag: 'CustomTemplates' } as const;
export const reading = { ...templates, scopes: ['templates.read'], permission: 'templates.read' } as const;
export const managing = { ...templates, scopes: ['templates.manage'], permission: 'templates.manage' } as const;

export const collection = '/api/v1/brands';
export const single = `${collection}/:brandId`;
export const themes = `${single}/themes`;
export const theme = `${themes}/:themeId`;
export const template = `${single}/templates/email/:templateName`;
export const customizations = `${template}/customizations`;
export const customization = `${customizations}/:customizationId`;

export const paging = (maximum: number) => ({
  limit: limit({ default: 20, maximum }),
  after: cursor('Cursor of the next page.'),
  before: cursor('Cursor of the previous page.'),
});
export const expandBrand = repeatable('What is told besides: `themes`. A brand has no domains of its own.', 64);
export const expand = repeatable('What is told besides: `settings`, `customizationCount`.', 64);
export const language = text('Language tag (RFC 5646); the caller’s language unless given.', 35);

/** 404 E0000007 for any brand but the org's only one. */
export function assertBrand({ orgId }: Context, { brandId }: { readonly brandId: string }): void {
  if (brandId !== brandIdOf(orgId)) throw notFound(brandId, 'Brand');
}

export function templateIn(
  context: Context,
  params: { readonly brandId: string; readonly templateName: string },
): EmailTemplateName {
  assertBrand(context, params);
  return readTemplateName(params.templateName);
}

/** 404 E0000007. */
export async function customizationIn(
  db: Db,
  context: Context,
  params: { readonly brandId: string; readonly templateName: string; readonly customizationId: string },
): Promise<EmailCustomization> {
  const row = await findCustomization(db, context.orgId, templateIn(context, params), params.customizationId);
  if (row === undefined) throw notFound(params.customizationId, 'EmailCustomization');
  return row;
}
