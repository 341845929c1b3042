/** The approximate memory that a request in progress takes in addition to its body. */
export const REQUEST_BYTES = 65_536;
/** Further requests of a share wait while its requests in progress take at least this much memory. */
const MOST_BYTES_UNDER_WAY = 33_554_432;
/** The maximum number of unread response bytes of a share. Above it, connections with the most of them are cut off. */
const MOST_BYTES_UNREAD = 67_108_864;

/** The members of a connection that its `AddressShare` uses. */
export interface SharingConnection {
  resume(): void;
  unreadBytes(): number;
  /** Tells whether the client has read none of the waiting bytes for `patienceMilliseconds`. */
  isStuck(now: number, patienceMilliseconds: number): boolean;
  destroy(): void;
}

/**
 * A share limits the requests in progress and the unread responses of a group of connections. The group is all
 * connections from one address prefix, or a single connection from a proxy.
 */
export class AddressShare {
  readonly #onEmpty: () => void;
  readonly #connections = new Set<SharingConnection>();
  readonly #waiting = new Set<SharingConnection>();
  #bytes = 0;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  join(connection: SharingConnection): void {
    this.#connections.add(connection);
  }

  leave(connection: SharingConnection): void {
    this.#waiting.delete(connection);
    if (this.#connections.delete(connection) && this.#connections.size === 0) this.#onEmpty();
  }

  take(bytes: number): void {
    this.#bytes += bytes;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#waiting.size > 0) this.#wake();
  }

  isFull(): boolean {
    return this.#bytes >= MOST_BYTES_UNDER_WAY;
  }

  /** Resumes the connection when there is room, after those that are already waiting. */
  wait(connection: SharingConnection): void {
    this.#waiting.add(connection);
  }

  /** Cuts off connections whose clients read nothing and, while too many bytes remain unread, those with the most. */
  sweep(now: number, patienceMilliseconds: number): void {
    const unread = new Map<SharingConnection, number>();
    let bytes = 0;
    for (const connection of this.#connections) {
      if (connection.isStuck(now, patienceMilliseconds)) {
        connection.destroy();
        continue;
      }
      const own = connection.unreadBytes();
      if (own === 0) continue;
      unread.set(connection, own);
      bytes += own;
    }
    if (bytes > MOST_BYTES_UNREAD) cutDown(unread, bytes);
    // Usually, the end of a request wakes the next connection. A resumed connection may begin no request, so a sweep
    // wakes others too.
    this.#wake();
  }

  #wake(): void {
    let room = MOST_BYTES_UNDER_WAY - this.#bytes;
    for (const connection of this.#waiting) {
      if (room <= 0) return;
      room -= REQUEST_BYTES;
      this.#waiting.delete(connection);
      connection.resume();
    }
  }
}

function cutDown(unread: ReadonlyMap<SharingConnection, number>, all: number): void {
  let bytes = all;
  for (const [connection, own] of [...unread].sort(([, one], [, other]) => other - one)) {
    if (bytes <= MOST_BYTES_UNREAD) return;
    connection.destroy();
    bytes -= own;
  }
}

export class AddressShares {
  readonly #shares = new Map<string, AddressShare>();

  of(prefix: string): AddressShare {
    const known = this.#shares.get(prefix);
    if (known !== undefined) return known;
    const made = new AddressShare(() => this.#shares.delete(prefix));
    this.#shares.set(prefix, made);
    return made;
  }

  sweep(now: number, patienceMilliseconds: number): void {
    for (const share of this.#shares.values()) share.sweep(now, patienceMilliseconds);
  }
}
