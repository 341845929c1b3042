import { TRANSFER_TABLES } from '../orgs/transfer-tables.ts';

/** Where values are that the installation's master key seals. */
export interface SealedTable {
  readonly table: string;
  readonly column: string;
  /** The row's id as it was sealed for: columns, and what joins them. */
  readonly row: readonly string[];
  readonly between: string;
}

/** All of them: those that an org's export has, and the mails that none has. A sweep looks for others. */
export const SEALED_TABLES: readonly SealedTable[] = [
  ...TRANSFER_TABLES.flatMap(({ name, sealed }) =>
    sealed === undefined
      ? []
      : [{ table: name, column: sealed.column, row: sealed.row, between: sealed.between ?? '/' }],
  ),
  { table: 'mail_outbox', column: 'sealed_body', row: ['id'], between: '/' },
];
