import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import type { Members } from '../../kernel/words/members.ts';
import { readContent, readLanguage } from './customizations/read-content.ts';
import { readTemplateName } from './customizations/template-names.ts';
import { readRecipients } from './settings/change-settings.ts';

// These functions validate imported rows against the rules for request bodies.

export function checkStoredCustomization(row: Members): void {
  const template = readTemplateName(storedText(row, 'template'));
  assertReadsAsStored('language', row['language'], readLanguage(storedText(row, 'language')));
  const content = { subject: storedText(row, 'subject'), body: storedText(row, 'body') };
  assertReadsAsStored('subject', content.subject, readContent(template, content).subject);
}

export function checkStoredTemplateSettings(row: Members): void {
  readRecipients(readTemplateName(storedText(row, 'template')), storedText(row, 'recipients'));
}
