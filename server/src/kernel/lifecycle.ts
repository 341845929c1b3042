/**
 * An operation of a lifecycle. If `to` is `removed`, the operation deletes the row. No link to the operation is
 * published in the `unlinked` statuses.
 */
export interface Transition<Status extends string> {
  readonly from: readonly Status[];
  readonly to: readonly Status[] | 'unchanged' | 'removed';
  readonly unlinked?: readonly Status[];
  readonly event: string;
}

export function lifecycle<Status extends string, Action extends string, Row extends Transition<Status>>(
  table: Readonly<Record<Action, Row>>,
) {
  const actions = Object.keys(table) as Action[];
  const allows = (status: Status, action: Action): boolean => table[action].from.includes(status);
  const publishes = (status: Status, action: Action): boolean =>
    allows(status, action) && !(table[action].unlinked ?? []).includes(status);
  return {
    table,
    actions,
    allows,
    transition: (action: Action): Row => table[action],
    linkedFrom: (status: Status): Action[] => actions.filter((action) => publishes(status, action)),
  };
}
