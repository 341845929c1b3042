/** An attribute of a search index. */
export interface SearchedAttribute {
  /** Stored in every index row, so it is never changed or reused. */
  readonly id: number;
  /** For an array, one row can have several index rows. */
  readonly multiple: boolean;
}

/**
 * A table that can be searched. It has rows of an org by `id` and an index with one row per attribute value, `(org_id,
 * attribute_id, value_key, <ownerColumn>)`, written in the same transaction as the row. All texts are constant SQL
 * without any part of a request.
 */
export interface SearchedTable {
  readonly table: string;
  /** The table's alias in `columns` and `texts`. */
  readonly alias: string;
  readonly index: string;
  readonly ownerColumn: string;
  /** The select list, with the names of the row's type. */
  readonly columns: string;
  /** Joined only to the rows of a page. Joined before the limit, the planner would merge whole tables. */
  readonly joined: string;
  /** Columns that `co` and exact comparisons read as they are stored. */
  readonly texts: Readonly<Record<string, string>>;
  /** Attributes that every row has, so that a sorted scan need not look for rows without one. */
  readonly neverAbsent: ReadonlySet<number>;
  /** The attribute under which a field is indexed; null for the id, which is the primary key, and for unknown names. */
  readonly attributeOf: (name: string) => SearchedAttribute | null;
}
