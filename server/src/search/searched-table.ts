/** The numbers and properties of an attribute in a search index. */
export interface SearchedAttribute {
  /** Stored in every index row: never changed, never reused. */
  readonly id: number;
  /** An array: one row may have several index rows of it. */
  readonly multiple: boolean;
}

/**
 * A table that can be searched: rows of an org by `id`, and beside them an index of one row per attribute value,
 * `(org_id, attribute_id, value_key, <ownerColumn>)`, written with every change in the same transaction. All texts are
 * SQL of ours; nothing of a request gets into them.
 */
export interface SearchedTable {
  readonly table: string;
  /** The table's alias in `columns` and `texts`. */
  readonly alias: string;
  readonly index: string;
  readonly ownerColumn: string;
  /** The select list in the spelling of a row's type. */
  readonly columns: string;
  /** Joined to the rows of a page alone: before its limit, the planner would merge whole tables. */
  readonly joined: string;
  /** Fields that `co` and exact comparisons find as they are stored. */
  readonly texts: Readonly<Record<string, string>>;
  /** Attributes that every row has, so that a sorted walk need not look for rows without one. */
  readonly neverAbsent: ReadonlySet<number>;
  /** The attribute a field is indexed under; null for the id, which is the primary key, and for unknown names. */
  readonly attributeOf: (name: string) => SearchedAttribute | null;
}
