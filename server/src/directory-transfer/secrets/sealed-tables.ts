import { TRANSFER_TABLES } from '../orgs/transfer-tables.ts';

/** A table with values that the master key seals. */
export interface SealedTable {
  readonly table: string;
  readonly column: string;
  /** The columns that make up the row's id in the seal, and what joins them. */
  readonly row: readonly string[];
  readonly between: string;
}

/**
 * All sealed tables: those of an org's export, and mails, which are not exported. A sweep checks that none is missing.
 */
export const SEALED_TABLES: readonly SealedTable[] = [
  ...TRANSFER_TABLES.flatMap(({ name, sealed }) =>
    sealed === undefined
      ? []
      : [{ table: name, column: sealed.column, row: sealed.row, between: sealed.between ?? '/' }],
  ),
  { table: 'mail_outbox', column: 'sealed_body', row: ['id'], between: '/' },
];
