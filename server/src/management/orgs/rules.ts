import { invalid } from '../../kernel/errors/errors.ts';
import { required } from '../../kernel/errors/field-errors.ts';
import { problemOfLine } from '../../kernel/texts/written-text.ts';

export const PROFILE_FIELDS = [
  'address1',
  'address2',
  'city',
  'country',
  'endUserSupportHelpURL',
  'phoneNumber',
  'postalCode',
  'state',
  'supportPhoneNumber',
  'website',
] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];
export type OrgProfile = Readonly<Partial<Record<ProfileField, string>>>;

/** A null or blank value clears the setting; `companyName` cannot be cleared. */
export type OrgInput = Readonly<Partial<Record<ProfileField | 'companyName', string | null>>>;

export interface OrgGeneral {
  readonly companyName: string;
  readonly profile: OrgProfile;
}

const MAXIMUM_LENGTH = 255;
const ADDRESSES: ReadonlySet<string> = new Set<ProfileField>(['endUserSupportHelpURL', 'website']);

function readText(name: string, text: string): string {
  const value = text.trim();
  const problem = problemOfLine(value, MAXIMUM_LENGTH);
  if (problem !== null) throw invalid(name, problem);
  // Clients may show these values as links, so `javascript:` URLs must be refused.
  if (ADDRESSES.has(name) && value !== '' && !(/^https?:\/\//i.test(value) && URL.canParse(value))) {
    throw invalid(name, 'must be a URL that begins with https:// or http://.');
  }
  return value;
}

/** The mode `replace` clears omitted settings. */
export function changeGeneral(current: OrgGeneral, input: OrgInput, mode: 'merge' | 'replace'): OrgGeneral {
  const stored: Readonly<Record<string, string | undefined>> = { ...current.profile, companyName: current.companyName };
  const valueOf = (name: ProfileField | 'companyName'): string => {
    const given = input[name];
    const before = stored[name] ?? '';
    if (given === undefined) return mode === 'merge' ? before : '';
    return given === before ? before : readText(name, given ?? '');
  };
  const companyName = valueOf('companyName');
  if (companyName === '') throw required('companyName');
  const profile = PROFILE_FIELDS.map((name) => [name, valueOf(name)] as const).filter(([, value]) => value !== '');
  return { companyName, profile: Object.fromEntries(profile) };
}
