/** One event that the log must have, exactly once and at its place in the user's history. */
export interface ExpectedEvent {
  readonly eventType: string;
  /**
   * Request id of the answer that acknowledged the change; null when the answer was lost and only the change is known.
   */
  readonly requestId: string | null;
}

export interface UserState {
  readonly nickName: string;
  readonly status: string;
}

/** A client's knowledge of a user that no other client writes to. */
export interface JournaledUser {
  readonly id: string;
  readonly login: string;
  readonly events: ExpectedEvent[];
  state: UserState;
}

/** The knowledge of all clients: acknowledged changes, resolved doubts, and answers that must never be given. */
export class Journal {
  readonly users = new Map<string, JournaledUser>();
  /** Logins whose creation turned out not to have happened. */
  readonly absentLogins = new Set<string>();
  readonly faults: string[] = [];
  acknowledged = 0;
  doubtful = 0;
  refusals = 0;
  lastRequestBegunAt = Number.NEGATIVE_INFINITY;

  /** `begunAt`: when the request was sent, by the clock of `performance.now()`. */
  acknowledge(begunAt: number): void {
    this.acknowledged += 1;
    this.lastRequestBegunAt = Math.max(this.lastRequestBegunAt, begunAt);
  }

  get expectedEvents(): number {
    let count = 0;
    for (const user of this.users.values()) count += user.events.length;
    return count;
  }
}
