import { TRANSFER_TABLES } from '../orgs/transfer-tables.ts';

export interface SealedTable {
  readonly table: string;
  readonly column: string;
  /** The columns whose values, joined by `between`, identify the row in the seal. */
  readonly row: readonly string[];
  readonly between: string;
}

export const SEALED_TABLES: readonly SealedTable[] = [
  ...TRANSFER_TABLES.flatMap(({ name, sealed }) =>
    sealed === undefined
      ? []
      : [{ table: name, column: sealed.column, row: sealed.row, between: sealed.between ?? '/' }],
  ),
  { table: 'mail_outbox', column: 'sealed_body', row: ['id'], between: '/' },
];
