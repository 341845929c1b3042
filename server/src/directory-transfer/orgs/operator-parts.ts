import type { OrgSettings } from '../../management/orgs/index.ts';
import { isMembers, type Members } from '../formats/user-record.ts';
import type { OrgLine } from './org-file.ts';

/** Parts of an org that only operators set, by their names in `--keep`. */
export const OPERATOR_PARTS = ['subdomain', 'domains', 'proxies', 'limits', 'retention', 'redirects'] as const;
export type OperatorPart = (typeof OPERATOR_PARTS)[number];

/** The tables that only operators fill, each with the column that names a row in the report of omitted parts. */
const TABLES: ReadonlyMap<string, { readonly part: OperatorPart; readonly column: string }> = new Map([
  ['org_domains', { part: 'domains', column: 'domain' }],
  ['org_trusted_proxies', { part: 'proxies', column: 'cidr' }],
]);

/** The part to which each setting belongs. Null means that administrators change it, too, as a feature of the org. */
const SETTINGS: Readonly<Record<keyof OrgSettings, OperatorPart | null>> = {
  passwordErrors: null,
  eventNames: null,
  rateLimits: 'limits',
  perTokenPercent: 'limits',
  logRetentionDays: 'retention',
  httpRedirectUris: 'redirects',
};

/** Returns null for an unknown setting, which the import refuses. */
const partOf = (setting: string): OperatorPart | null => new Map(Object.entries(SETTINGS)).get(setting) ?? null;

export interface TakenLine {
  readonly line: OrgLine | null;
  readonly leftOut: readonly string[];
}

export interface Takeover {
  readonly keep: ReadonlySet<OperatorPart>;
  /** The new subdomain of the org; null keeps the subdomain in the file. */
  readonly subdomain: string | null;
}

const told = (part: OperatorPart, name: string, value: unknown): string =>
  `${part}: ${name} ${(JSON.stringify(value) ?? '').slice(0, 200)}`;

function takenOrg(row: string, { keep, subdomain }: Takeover): TakenLine {
  const values = JSON.parse(row) as Members;
  const settings = Object.entries(isMembers(values['settings']) ? values['settings'] : {});
  const isTaken = ([name]: readonly [string, unknown]): boolean => {
    const part = partOf(name);
    return part === null || keep.has(part);
  };
  const left = settings.filter((setting) => !isTaken(setting));
  const leftOut = left.map(([name, value]) => told(partOf(name) ?? 'limits', name, value));
  const changes = {
    ...(left.length === 0 ? {} : { settings: Object.fromEntries(settings.filter(isTaken)) }),
    ...(subdomain === null ? {} : { subdomain }),
  };
  if (Object.keys(changes).length === 0) return { line: { table: 'orgs', row }, leftOut };
  return { line: { table: 'orgs', row: JSON.stringify({ ...values, ...changes }) }, leftOut };
}

/**
 * Removes operator-only parts that are not in `keep`. The subdomain is never removed, but replaced if `takeover`
 * contains a new one.
 */
export function takenLine(line: OrgLine, takeover: Takeover): TakenLine {
  if (line.table === 'orgs') return takenOrg(line.row, takeover);
  const table = TABLES.get(line.table);
  if (table === undefined || takeover.keep.has(table.part)) return { line, leftOut: [] };
  const values = JSON.parse(line.row) as Members;
  return { line: null, leftOut: [told(table.part, table.column, values[table.column])] };
}
