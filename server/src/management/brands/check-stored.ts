import type { Members } from '../../kernel/members.ts';
import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import { readRecipients } from './change-settings.ts';
import { readContent, readLanguage } from './read-content.ts';
import { readTemplateName } from './template-names.ts';

// Rows out of a file are judged as if what the API shows of them were put back: 400 E0000001.

export function checkStoredCustomization(row: Members): void {
  const template = readTemplateName(storedText(row, 'template'));
  assertReadsAsStored('language', row['language'], readLanguage(storedText(row, 'language')));
  const content = { subject: storedText(row, 'subject'), body: storedText(row, 'body') };
  assertReadsAsStored('subject', content.subject, readContent(template, content).subject);
}

export function checkStoredTemplateSettings(row: Members): void {
  readRecipients(readTemplateName(storedText(row, 'template')), storedText(row, 'recipients'));
}
