import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type AddressShare, REQUEST_BYTES, type SharingConnection } from './address-shares.ts';

/** The maximum number of requests in progress on one connection. Further requests wait until one of these has ended. */
const MOST_UNDER_WAY = 8;
/** A body counts as at most this many bytes. A body of unknown length counts as exactly this many. */
const LONGEST_BODY_BYTES = 1_048_576;

const END_OF_HEAD = '\r\n\r\n';

/**
 * Returns how many of `bytes` belong to the first head, or -1 if it does not end in them. `before` precedes `bytes` on
 * the connection.
 */
function endOfHead(before: string, bytes: Buffer): number {
  if (before !== '') {
    const at = (before + bytes.toString('latin1', 0, END_OF_HEAD.length - 1)).indexOf(END_OF_HEAD);
    if (at >= 0) return at + END_OF_HEAD.length - before.length;
  }
  const at = bytes.indexOf(END_OF_HEAD);
  return at < 0 ? -1 : at + END_OF_HEAD.length;
}

/** Returns the number of body bytes that follow a head, or null if the head does not state it. */
function bodyBytesOf({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  const length = Number(headers['content-length'] ?? 0);
  return Number.isSafeInteger(length) ? length : null;
}

const weightOf = (bodyBytes: number | null): number =>
  REQUEST_BYTES + Math.min(bodyBytes ?? LONGEST_BODY_BYTES, LONGEST_BODY_BYTES);

/** Counts the bytes that wait in the stream, and those in the handle that the kernel has not taken. */
function unsentBytesOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const queued: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : 0;
  return socket.writableLength + (typeof queued === 'number' ? queued : 0);
}

/**
 * This object sits between a connection and Node's HTTP parser. The parser gets one head at a time, and none while the
 * connection or its share has reached its limit of requests in progress. The remaining bytes go back into the socket,
 * which is not read until there is room.
 */
export class ConnectionPace implements SharingConnection {
  readonly #socket: Socket;
  readonly #parse: (chunk: Buffer) => void;
  readonly #share: AddressShare;
  /** The bytes that are counted for each request in progress. */
  readonly #underWay = new Map<ServerResponse, number>();
  #newest: IncomingMessage | null = null;
  /** The number of bytes of the newest body that have not arrived yet. Null means that its length is unknown. */
  #bodyLeft: number | null = 0;
  #headSoFar = '';
  #isHeld = false;
  #isLastSlice = false;
  #isEnding = false;
  #unsentBytes = 0;
  #progressAt = 0;

  /** Replaces the parser as the listener for the data of the socket. */
  constructor(socket: Socket, share: AddressShare) {
    const [parse] = socket.listeners('data');
    if (parse === undefined) throw new Error('the connection has no parser');
    this.#socket = socket;
    this.#share = share;
    this.#parse = parse as (chunk: Buffer) => void;
    socket.on('data', this.#take).off('data', this.#parse);
    socket.once('close', () => this.#giveUp());
    share.join(this);
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const bodyBytes = bodyBytesOf(request);
    const weight = weightOf(bodyBytes);
    this.#newest = request;
    this.#bodyLeft = bodyBytes;
    this.#underWay.set(response, weight);
    this.#share.take(weight);
    response.once('close', () => this.#end(response));
  }

  /** Closes the connection after this response, unless bytes of another request have already arrived. */
  endWith(response: ServerResponse): void {
    if (!this.#isLastSlice || this.#socket.readableLength > 0) return;
    response.shouldKeepAlive = false;
    this.#isEnding = true;
  }

  resume(): void {
    if (!this.#isHeld || this.#socket.destroyed) return;
    this.#isHeld = false;
    this.#socket.resume();
  }

  /** Stops pacing, because the connection no longer speaks HTTP. */
  stop(): void {
    this.#socket.off('data', this.#take);
    this.#giveUp();
  }

  /** Counts the unread bytes of finished responses. Their requests then no longer count towards the share. */
  unreadBytes(): number {
    let bytes = 0;
    for (const [response, weight] of this.#underWay) {
      if (!response.writableEnded) continue;
      bytes += response.writableLength;
      this.#underWay.set(response, 0);
      this.#share.give(weight);
    }
    return bytes;
  }

  isStuck(now: number, patienceMilliseconds: number): boolean {
    const before = this.#unsentBytes;
    this.#unsentBytes = this.#underWay.size === 0 ? 0 : unsentBytesOf(this.#socket);
    if (this.#unsentBytes < before || before === 0) this.#progressAt = now;
    return this.#unsentBytes > 0 && now - this.#progressAt >= patienceMilliseconds;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #take = (chunk: Buffer): void => {
    let rest = chunk;
    while (rest.length > 0) {
      if (!this.#isInBody() && this.#isEnding) return;
      if (this.#mustWait()) {
        this.#hold(rest);
        return;
      }
      const length = this.#sliceOf(rest);
      const slice = length === rest.length ? rest : rest.subarray(0, length);
      rest = rest.subarray(length);
      this.#isLastSlice = rest.length === 0;
      this.#parse.call(this.#socket, slice);
      // If the parser refused the request, or the last response has been sent, the remaining bytes are dropped.
      if (this.#socket.destroyed || !this.#socket.writable) return;
      // Node pauses the socket while a handler leaves a body unread or a client leaves responses unread, and resumes it
      // later.
      if (rest.length > 0 && this.#socket.isPaused()) {
        this.#socket.unshift(rest);
        return;
      }
    }
  };

  #isInBody(): boolean {
    return this.#newest !== null && !this.#newest.complete;
  }

  /** A body is read to its end, because its request has already been counted. */
  #mustWait(): boolean {
    return !this.#isInBody() && (this.#underWay.size >= MOST_UNDER_WAY || this.#share.isFull());
  }

  #hold(rest: Buffer): void {
    this.#isHeld = true;
    this.#socket.pause();
    this.#socket.unshift(rest);
    if (this.#underWay.size < MOST_UNDER_WAY) this.#share.wait(this);
  }

  /**
   * Returns the number of bytes that may be parsed at once. A slice ends at the latest with a body of known length, or
   * else with a blank line. Every head and every chunked body ends with a blank line.
   */
  #sliceOf(bytes: Buffer): number {
    if (this.#bodyLeft !== null && this.#bodyLeft > 0) {
      const length = Math.min(this.#bodyLeft, bytes.length);
      this.#bodyLeft -= length;
      return length;
    }
    const end = endOfHead(this.#headSoFar, bytes);
    this.#headSoFar =
      end < 0 ? (this.#headSoFar + bytes.toString('latin1', Math.max(0, bytes.length - 3))).slice(-3) : '';
    return end < 0 ? bytes.length : end;
  }

  #end(response: ServerResponse): void {
    const weight = this.#underWay.get(response);
    if (weight === undefined) return;
    this.#underWay.delete(response);
    this.#share.give(weight);
    this.resume();
  }

  #giveUp(): void {
    for (const weight of this.#underWay.values()) this.#share.give(weight);
    this.#underWay.clear();
    this.#share.leave(this);
  }
}
