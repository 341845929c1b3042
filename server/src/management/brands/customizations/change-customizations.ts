import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid, notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion, FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import { waitForOthers } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import type { EmailCustomizationInput } from '../contract.ts';
import {
  countCustomizations,
  type EmailCustomization,
  findCustomizationForUpdate,
  insertCustomization,
  removeCustomization,
  removeCustomizations,
  updateCustomization,
} from '../store.ts';
import { customizationChange, customizationVersion } from '../wire.ts';
import { readContent, readLanguage } from './read-content.ts';
import type { EmailTemplateName } from './template-names.ts';

export const MAXIMUM_CUSTOMIZATIONS = 100;

/** A template's first customization is always the default. */
export async function createCustomization(
  work: Work,
  context: Context,
  template: EmailTemplateName,
  input: EmailCustomizationInput,
): Promise<EmailCustomization> {
  const { orgId } = context;
  const now = wholeSecond(context.now);
  const draft = {
    id: newId('emailCustomization', orgSuffixOf(orgId)),
    template,
    language: readLanguage(input.language),
    ...readContent(template, input),
    createdAt: now,
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  };
  return work(context, async (tx, record) => {
    await waitForOthers(tx, orgId, 'email_customizations');
    const count = await countCustomizations(tx, orgId, template);
    if (count >= MAXIMUM_CUSTOMIZATIONS) {
      throw invalid('language', `A template may have at most ${MAXIMUM_CUSTOMIZATIONS} customizations.`);
    }
    const customization = { ...draft, isDefault: count === 0 || input.isDefault === true };
    await insertCustomization(tx, orgId, customization);
    record({ eventType: 'system.email.template.create', target: [customizationChange([null, customization])] });
    return customization;
  });
}

export async function replaceCustomization(
  work: Work,
  context: Context,
  template: EmailTemplateName,
  id: string,
  input: EmailCustomizationInput,
): Promise<EmailCustomization> {
  const language = readLanguage(input.language);
  const content = readContent(template, input);
  return work(context, async (tx, record) => {
    const before = await findCustomizationForUpdate(tx, context.orgId, template, id);
    if (before === undefined) throw notFound(id, 'EmailCustomization');
    assertVersion(context, customizationVersion(before));
    if (before.isDefault && input.isDefault === false) throw apiError('E0000185');
    const isDefault = input.isDefault ?? before.isDefault;
    const lastUpdatedAt = wholeSecond(context.now);
    const after = { ...before, ...content, language, isDefault, lastUpdatedAt, revision: before.revision + 1 };
    const target = customizationChange([before, after]);
    if (target.changeDetails === undefined) return before;
    await updateCustomization(tx, context.orgId, after);
    record({ eventType: 'system.email.template.update', target: [target] });
    return after;
  });
}

export function deleteCustomization(
  work: Work,
  context: Context,
  template: EmailTemplateName,
  id: string,
): Promise<void> {
  return work(context, async (tx, record) => {
    const customization = await findCustomizationForUpdate(tx, context.orgId, template, id);
    if (customization === undefined) throw notFound(id, 'EmailCustomization');
    assertVersion(context, customizationVersion(customization));
    if (customization.isDefault) throw apiError('E0000184');
    await removeCustomization(tx, context.orgId, id);
    record({ eventType: 'system.email.template.delete', target: [customizationChange([customization, null])] });
  });
}

/** Deletes all customizations of a template, so that users get the built-in email again. */
export function deleteCustomizations(work: Work, context: Context, template: EmailTemplateName): Promise<void> {
  return work(context, async (tx, record) => {
    for (const customization of await removeCustomizations(tx, context.orgId, template)) {
      record({ eventType: 'system.email.template.delete', target: [customizationChange([customization, null])] });
    }
  });
}
