/** An event that the log must contain exactly once, at its place in the user's history. */
export interface ExpectedEvent {
  readonly eventType: string;
  /** The id of the request that caused the event, or null if that is unknown. */
  readonly requestId: string | null;
  /** The state of the user after the event. */
  readonly state: UserState;
}

export interface UserState {
  readonly nickName: string;
  readonly status: string;
}

/** A user whom only one client changes. */
export interface JournaledUser {
  readonly id: string;
  readonly login: string;
  readonly events: ExpectedEvent[];
  state: UserState;
}

/** When a request was sent and when its response came, as values of `performance.now()`. */
export interface AcknowledgedRequest {
  readonly begunAt: number;
  readonly acknowledgedAt: number;
}

/** The users and events that the clients expect to find after a crash. */
export class Journal {
  readonly users = new Map<string, JournaledUser>();
  /** The logins of users whose creation was requested but did not happen. */
  readonly absentLogins = new Set<string>();
  readonly faults: string[] = [];
  /** The acknowledged changes by the ids of their requests. */
  readonly requests = new Map<string, AcknowledgedRequest>();
  acknowledged = 0;
  doubtful = 0;
  refusals = 0;
  lastRequestBegunAt = Number.NEGATIVE_INFINITY;
  /** The longest time without an acknowledged change since `watchPauses`. */
  longestPauseMilliseconds = 0;
  #acknowledgedAt = performance.now();

  watchPauses(): void {
    this.longestPauseMilliseconds = 0;
    this.#acknowledgedAt = performance.now();
  }

  /** `begunAt` is the value of `performance.now()` when the request was sent. */
  acknowledge(begunAt: number, requestId: string | null): void {
    this.acknowledged += 1;
    const now = performance.now();
    if (requestId !== null) this.requests.set(requestId, { begunAt, acknowledgedAt: now });
    this.longestPauseMilliseconds = Math.max(this.longestPauseMilliseconds, now - this.#acknowledgedAt);
    this.#acknowledgedAt = now;
    this.lastRequestBegunAt = Math.max(this.lastRequestBegunAt, begunAt);
  }

  get expectedEvents(): number {
    let count = 0;
    for (const user of this.users.values()) count += user.events.length;
    return count;
  }
}
