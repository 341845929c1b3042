import { invalid } from '../../kernel/errors/errors.ts';
import { readSubdomain } from './addresses/addresses.ts';
import { checkSettingsChanges } from './addresses/settings.ts';
import { changeGeneral, PROFILE_FIELDS } from './rules.ts';

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export function checkStoredOrg(row: Readonly<Record<string, unknown>>): void {
  if (row['status'] !== 'ACTIVE') throw invalid('status', 'Only an active org can be imported.');
  readSubdomain(textOrNull(row['subdomain']) ?? '');
  checkSettingsChanges(membersOf(row['settings']));
  const profile = membersOf(row['profile']);
  const input = Object.fromEntries(PROFILE_FIELDS.map((name) => [name, textOrNull(profile[name])]));
  const companyName = textOrNull(row['company_name']);
  changeGeneral({ companyName: '', profile: {} }, { ...input, companyName }, 'replace');
}
