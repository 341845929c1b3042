import { textArray } from './binary-arrays.ts';
import type { Database } from './connections/database.ts';
import { CLOCK } from './connections/statements.ts';

/**
 * The kind of a column decides how statements use it. A `key` is inserted and compared in `where`. A `fixed` column is
 * inserted and never updated. A column that `changes` is inserted and updated. `json` and `fixed json` are the same as
 * `changes` and `fixed`, for jsonb values that are bound as JSON text. A `revision` starts at the table's default, and
 * each update raises it. A `read` column is only selected.
 */
type ColumnKind = 'key' | 'fixed' | 'changes' | 'json' | 'fixed json' | 'revision' | 'read';

/**
 * `name` is the column's name if it is not the property's name in snake case. `reads` is an SQL expression that is
 * selected instead of the column.
 */
interface NamedColumn<Kind extends ColumnKind> {
  readonly is: Kind;
  readonly name?: string;
  readonly reads?: string;
}

type Column<Kind extends ColumnKind = ColumnKind> = Kind | NamedColumn<Kind>;

interface UnreadColumn {
  readonly is: Exclude<ColumnKind, 'read' | 'revision'>;
  readonly name?: string;
  readonly reads: null;
}

type ColumnMap<Row, Written> = {
  readonly [Property in keyof Row | keyof Written]-?: Property extends keyof Row
    ? Property extends keyof Written
      ? Column
      : Column<'read' | 'revision'>
    : UnreadColumn;
};

/** The parameters of a statement. $1 is the org. The keys follow, then the other columns in the order of the map. */
interface Places<Row> {
  /** Returns the parameter to which a property is bound, such as `$4`. */
  readonly of: (property: keyof Row) => string;
  /** Returns the parameter with this index (from 0) after the parameters of the row. The caller appends its value. */
  readonly free: (index: number) => string;
}

type Further<Row> = (places: Places<Row>) => Readonly<Record<string, string>>;

export interface RowStatement<Row> {
  readonly text: string;
  readonly places: Places<Row>;
  readonly values: (orgId: string, row: Row) => unknown[];
}

/** A statement for any number of rows. Its parameters are the org and one array per column. */
interface RowsStatement<Row> {
  readonly text: string;
  /** Returns the parameter with this index (from 0) after the arrays. The caller appends its value. */
  readonly free: (index: number) => string;
  readonly values: (orgId: string, rows: readonly Row[]) => unknown[];
}

/** The SQL type of each column that is neither text nor jsonb. */
type ColumnTypes<Row> = Readonly<Partial<Record<keyof Row, string>>>;

export interface Columns<Row, Written = Row> {
  readonly table: string;
  /** A condition that compares the org with $1 and the keys with the parameters that follow. */
  readonly isKey: string;
  readonly select: (alias?: string) => string;
  /** A clause such as `returning` may be appended to the text. */
  readonly insert: (further?: Further<Written>) => RowStatement<Written>;
  /** `further` applies only to the insert. */
  readonly upsert: (further?: Further<Written>) => RowStatement<Written>;
  readonly insertMany: (types: ColumnTypes<Written>) => RowsStatement<Written>;
  /** The expressions of `further` read the time of the database as `clock.now`. */
  readonly update: (further?: Further<Written>) => RowStatement<Written>;
  /**
   * Builds a statement that updates the changing columns of rows `t`, which it finds by their org and keys. `further`
   * maps more columns to SQL expressions over `t`, over the new row `r`, and over `clock.now`.
   */
  readonly updateMany: (
    types: ColumnTypes<Written>,
    further?: Readonly<Record<string, string>>,
  ) => RowsStatement<Written>;
}

const snakeCase = (property: string): string => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

interface KnownColumn<Row> {
  readonly property: keyof Row & string;
  readonly kind: ColumnKind;
  readonly name: string;
  readonly reads: string | null | undefined;
}

const namesOf = <Row>(known: readonly KnownColumn<Row>[]): string => known.map(({ name }) => name).join(', ');

const INSERTED: ReadonlySet<ColumnKind> = new Set(['key', 'fixed', 'changes', 'json', 'fixed json']);
const UPDATED: ReadonlySet<ColumnKind> = new Set(['changes', 'json']);

const isJson = (kind: ColumnKind): boolean => kind === 'json' || kind === 'fixed json';

function boundValue(kind: ColumnKind, value: unknown): unknown {
  return isJson(kind) && value !== null && value !== undefined ? JSON.stringify(value) : value;
}

function binding<Row>(bound: readonly KnownColumn<Row>[]): Omit<RowStatement<Row>, 'text'> {
  return {
    places: {
      of: (property) => {
        const index = bound.findIndex((column) => column.property === property);
        if (index < 0) throw new Error(`the statement does not bind ${String(property)}`);
        return `$${index + 2}`;
      },
      free: (index) => `$${bound.length + 2 + index}`,
    },
    values: (orgId, row) => [orgId, ...bound.map(({ kind, property }) => boundValue(kind, row[property]))],
  };
}

function itemOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error('an array of texts holds texts, numbers, booleans and instants only');
}

interface Rows<Row> extends Omit<RowsStatement<Row>, 'text'> {
  /** The rows, as the item `r` of a `from` clause. */
  readonly from: string;
  /** Returns a column of a row. */
  readonly read: (column: KnownColumn<Row>) => string;
}

/**
 * Returns the items of a `from` clause that make rows of arrays, for a prepared statement. The subquery hides the
 * length of the first array, so the planner expects at least ten rows, as in the generic plan. Otherwise, it makes a
 * new plan for each call with fewer rows, because a plan for fewer rows looks cheaper. Citus refuses a subquery as an
 * argument of `unnest` in some statements, so it is an item of its own.
 */
export function rowsFrom(arrays: readonly string[], alias: string): string {
  const hidden = `hidden_${alias.split(' ')[0]}`;
  const [first, ...others] = arrays;
  const shown = [`${hidden}.first`, ...others].join(', ');
  return `(select ${first} as first offset 0) as ${hidden}, unnest(${shown}) as ${alias}`;
}

/** Binds rows as one `text[]` per column. */
function rowsOf<Row>(bound: readonly KnownColumn<Row>[], types: ColumnTypes<Row>): Rows<Row> {
  const typeOf = ({ kind, property }: KnownColumn<Row>) => (isJson(kind) ? 'jsonb' : types[property]);
  // Whole arrays are cast, because Citus refuses casts of a column that depend on settings, such as those to times.
  const arrays = bound.map((column, index) => {
    const type = typeOf(column);
    const cast = type === undefined ? '' : `::${type}[]`;
    return `$${index + 2}::text[]${cast}`;
  });
  return {
    from: rowsFrom(arrays, `r (${namesOf(bound)})`),
    read: ({ name }) => `r.${name}`,
    free: (index) => `$${bound.length + 2 + index}`,
    values: (orgId, rows) => [
      orgId,
      ...bound.map(({ kind, property }) => textArray(rows.map((row) => itemOf(boundValue(kind, row[property]))))),
    ],
  };
}

const readsClock = (expressions: readonly string[]): boolean => expressions.some((text) => text.includes('clock.now'));

/** Rows are read as `Row` and written as `Written`. `org` names the column of the org. */
export function columns<Row, Written = Row>(
  table: keyof Database,
  map: ColumnMap<Row, Written>,
  org = 'org_id',
): Columns<Row, Written> {
  const known = Object.entries<Column | UnreadColumn>(map).map(([property, column]): KnownColumn<Written> => {
    const { is: kind, name = snakeCase(property), reads } = typeof column === 'string' ? { is: column } : column;
    return { property: property as keyof Written & string, kind, name, reads };
  });
  const keys = known.filter(({ kind }) => kind === 'key');
  const inserted = [...keys, ...known.filter(({ kind }) => kind !== 'key' && INSERTED.has(kind))];
  const changed = known.filter(({ kind }) => UPDATED.has(kind));
  const keyNames = [org, ...keys.map(({ name }) => name)];
  const isKey = keyNames.map((name, index) => `${name} = $${index + 1}`).join(' and ');
  const raised = (prefix: string): string[] =>
    known.filter(({ kind }) => kind === 'revision').map(({ name }) => `${name} = ${prefix}${name} + 1`);
  const insert = (further: Further<Written> = () => ({})): RowStatement<Written> => {
    const { places, values } = binding(inserted);
    const more = Object.entries(further(places));
    const names = [org, ...inserted.map(({ name }) => name), ...more.map(([name]) => name)];
    const set = ['$1', ...inserted.map(({ property }) => places.of(property)), ...more.map(([, value]) => value)];
    // Citus refuses subqueries in a list of values.
    const rows = more.some(([, value]) => /\(\s*select\b/.test(value))
      ? `select ${set.join(', ')}`
      : `values (${set.join(', ')})`;
    return { places, values, text: `insert into ${table} (${names.join(', ')}) ${rows}` };
  };
  return {
    table,
    isKey,
    insert,
    select: (alias) => {
      const prefix = alias === undefined ? '' : `${alias}.`;
      const list = known.map(({ name, property, reads = `${prefix}${name}` }) =>
        reads === `${prefix}${property}` ? reads : reads && `${reads} as "${property}"`,
      );
      return list.filter((selected) => selected !== null).join(', ');
    },
    insertMany: (types) => {
      const { from, read, ...rows } = rowsOf(inserted, types);
      const selected = ['$1', ...inserted.map(read)].join(', ');
      return { ...rows, text: `insert into ${table} (${org}, ${namesOf(inserted)}) select ${selected} from ${from}` };
    },
    upsert: (further) => {
      const { text, ...bound } = insert(further);
      const set = [...changed.map(({ name }) => `${name} = excluded.${name}`), ...raised(`${table}.`)];
      return { ...bound, text: `${text} on conflict (${keyNames.join(', ')}) do update set ${set.join(', ')}` };
    },
    update: (further = () => ({})) => {
      const { places, values } = binding([...keys, ...changed]);
      const set = [
        ...changed.map(({ name, property }) => `${name} = ${places.of(property)}`),
        ...raised(''),
        ...Object.entries(further(places)).map(([name, value]) => `${name} = ${value}`),
      ];
      const from = readsClock(set) ? ` from ${CLOCK}` : '';
      return { places, values, text: `update ${table} set ${set.join(', ')}${from} where ${isKey}` };
    },
    updateMany: (types, further = {}) => {
      const { from, read, ...rows } = rowsOf([...keys, ...changed], types);
      const set = [
        ...changed.map((column) => `${column.name} = ${read(column)}`),
        ...raised('t.'),
        ...Object.entries(further).map(([name, value]) => `${name} = ${value}`),
      ];
      const isRow = [`t.${org} = $1`, ...keys.map((key) => `t.${key.name} = ${read(key)}`)].join(' and ');
      const items = readsClock(set) ? `${from}, ${CLOCK}` : from;
      return { ...rows, text: `update ${table} t set ${set.join(', ')} from ${items} where ${isRow}` };
    },
  };
}
