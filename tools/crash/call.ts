import type { RequestOptions, TestClient, TestResponse } from '../../server/test/support/client.ts';

export type Body = TestResponse['body'];

/** Repeats a request until the service answers; any status counts. */
export type Look = (path: string) => Promise<TestResponse>;

/** One mutating call, and how to find out afterwards whether it happened. */
export interface Call {
  /** The operation's id, as the routes name it. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly anonymous?: boolean;
  /** Sent instead of `body`: forms, with their own headers. */
  readonly options?: RequestOptions;
  /** Occurs in its events: an id, or the unique name of what it creates. */
  readonly mark: string;
  /** Whether its effect exists; null when nothing that can be read shows it. */
  readonly isThere: ((look: Look) => Promise<boolean>) | null;
}

export interface SentCall {
  readonly call: Call;
  /** Request id of the answer; null when there was none. */
  readonly requestId: string | null;
}

/** The answer was lost: the call happened, or it did not. */
export class LostCall extends Error {}

/** Sends a call and returns its answer; throws LostCall when there is none. */
export type Ask = (call: Call) => Promise<Body>;

/** Sends a call and returns the whole answer, for results that are in a header. */
export type Send = (call: Call) => Promise<TestResponse>;

export interface ScriptTools {
  readonly ask: Ask;
  readonly send: Send;
  /** Repeats a request without a token until the service answers: it changes nothing, whatever its method. */
  readonly probe: (method: string, path: string, options: RequestOptions) => Promise<TestResponse>;
  readonly look: Look;
  readonly adminUserId: string;
}

/** Sends calls one after another, each using the results of the earlier ones. */
export interface Script {
  readonly name: string;
  /** Marks a script about a resource that an org has only once: two at a time would undo each other's changes. */
  readonly single?: boolean;
  readonly run: (tools: ScriptTools) => Promise<void>;
}

const PAUSE_MILLISECONDS = 25;

export const requestIdOf = (response: TestResponse): string | null => {
  const name = Object.keys(response.headers).find((one) => one.endsWith('-request-id'));
  const value = name === undefined ? undefined : response.headers[name];
  return typeof value === 'string' ? value : null;
};

/** A client that repeats a request until it is answered, for requests that change nothing. */
export const insistent =
  (client: TestClient): Look =>
  (path) =>
    insisting(client, 'GET', path, {});

/** Repeats a request that changes nothing until it is answered. */
export async function insisting(
  client: TestClient,
  method: string,
  path: string,
  options: RequestOptions,
): Promise<TestResponse> {
  for (;;) {
    const response = await client.send(method, path, options).catch(() => null);
    if (response !== null && response.status !== 503) return response;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
}

// How effects are observed.

export const exists = (path: string) => async (look: Look) => (await look(path)).status === 200;
export const isGone = (path: string) => async (look: Look) => (await look(path)).status === 404;
export const hasMember = (path: string, member: string, value: unknown) => async (look: Look) => {
  const body: unknown = (await look(path)).body;
  const found = member.split('.').reduce<unknown>((object, name) => Reflect.get(Object(object), name), body);
  return found === value;
};

/** Whether a list, or one of its later pages, has an element with that member. */
export const lists = (path: string, member: string, value: unknown) => async (look: Look) => {
  for (let next: string | null = path; next !== null; ) {
    const response: TestResponse = await look(next);
    const elements = Array.isArray(response.body) ? response.body : Object.values(response.body)[0];
    if ((elements as Body[]).some((element) => element[member] === value)) return true;
    const link = /<https:\/\/[^/]+([^>]+)>;\s*rel="next"/.exec(String(response.headers['link'] ?? ''))?.[1];
    next = link ?? null;
  }
  return false;
};
export const listsNo = (path: string, member: string, value: unknown) => async (look: Look) =>
  !(await lists(path, member, value)(look));
