import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { text } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { TestMailPorts } from './customizations/send-test-mail.ts';
import { type EmailTemplateName, readTemplateName } from './customizations/template-names.ts';
import { type EmailCustomization, findCustomization } from './store.ts';
import { brandIdOf } from './wire.ts';

export interface BrandRoutesPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  readonly queueMail: TestMailPorts['queueMail'];
}

export const brandUrl = '/api/v1/brands/:brandId';
export const templateUrl = `${brandUrl}/templates/email/:templateName`;

export const emails = { tag: 'CustomTemplates', scope: 'templates' } as const;

export const language = text('A language tag (RFC 5646). By default, it is the language of the caller.', 35);

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

export async function customizationIn(
  db: Db,
  context: Context,
  params: { readonly brandId: string; readonly templateName: string; readonly customizationId: string },
): Promise<EmailCustomization> {
  const row = await findCustomization(db, context.orgId, templateIn(context, params), params.customizationId);
  if (row === undefined) throw notFound(params.customizationId, 'EmailCustomization');
  return row;
}
