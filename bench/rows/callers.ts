import { requestBytes } from '../connection.ts';
import type { Arena } from '../duel.ts';
import { newUserBody } from '../gatehouse.ts';
import type { Caller } from '../load.ts';

export function cycling(requests: readonly Buffer[], start = 0): Caller {
  let next = start;
  return {
    request: () => {
      next += 1;
      return requests[next % requests.length] ?? Buffer.alloc(0);
    },
  };
}

/** `kind` names one of the transactions that peer-program.ts registers. */
export const transacting = ({ gatehouse, peer }: Arena, kind: string): Caller => ({
  request: () => requestBytes(peer.endpoint, 'POST', `/${kind}/${gatehouse.orgId}`, {}, newUserBody()),
});
