export interface SearchedAttribute {
  /** The id is stored in every index row. It must not change, and it must not be reused while index rows contain it. */
  readonly id: number;
  /** Whether one row can have several index rows for the attribute, as with an array. */
  readonly multiple: boolean;
}

/**
 * A table that can be searched. The index has one row per attribute value: `(org_id, attribute_id, value_key,
 * <ownerColumn>)`. Index rows are written in the same transaction as the rows of the table. All strings become part of
 * statements unchanged, so they must be constants.
 */
export interface SearchedTable {
  readonly table: string;
  /** The table's alias, which `columns` and `texts` use. */
  readonly alias: string;
  readonly index: string;
  readonly ownerColumn: string;
  /** The select list. Its column names are the members of the row's type. */
  readonly columns: string;
  /** A join that is applied only to the rows of a page, after the limit. */
  readonly joined: string;
  /** The columns that `co` and exact comparisons read, by field name. */
  readonly texts: Readonly<Record<string, string>>;
  /** The ids of the attributes that every row has. */
  readonly neverAbsent: ReadonlySet<number>;
  /**
   * Returns the attribute that indexes a field. Returns null for unknown names and for `id`, which is the primary key.
   */
  readonly attributeOf: (name: string) => SearchedAttribute | null;
}
