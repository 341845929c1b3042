import type { RequestOptions, TestClient, TestResponse } from '../../server/test/support/client.ts';

export type Body = TestResponse['body'];

/** Repeats a GET request until the service answers with a status other than 503. */
export type Look = (path: string) => Promise<TestResponse>;

export interface Call {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly anonymous?: boolean;
  /** The options of the request, used instead of `body`. */
  readonly options?: RequestOptions;
  /** A string that occurs in the call's events. */
  readonly mark: string;
  /** Tells whether the effect of the call exists. It is null if nothing that can be read shows the effect. */
  readonly isThere: ((look: Look) => Promise<boolean>) | null;
}

export interface SentCall {
  readonly call: Call;
  readonly requestId: string | null;
}

/** This error ends a script, for example because a response was lost. */
export class LostCall extends Error {}

/** Sends a call. Returns the body of the response, or throws LostCall. */
export type Ask = (call: Call) => Promise<Body>;

export type Send = (call: Call) => Promise<TestResponse>;

export interface ScriptTools {
  readonly ask: Ask;
  readonly send: Send;
  /** Repeats a request without an API token, as `insisting` does. The request must not change anything. */
  readonly probe: (method: string, path: string, options: RequestOptions) => Promise<TestResponse>;
  readonly look: Look;
  readonly adminUserId: string;
}

export interface Script {
  readonly name: string;
  /** Whether only one client at a time may run the script. */
  readonly single?: boolean;
  readonly run: (tools: ScriptTools) => Promise<void>;
}

const PAUSE_MILLISECONDS = 25;

export const requestIdOf = (response: TestResponse): string | null => {
  const name = Object.keys(response.headers).find((one) => one.endsWith('-request-id'));
  const value = name === undefined ? undefined : response.headers[name];
  return typeof value === 'string' ? value : null;
};

export const insistent =
  (client: TestClient): Look =>
  (path) =>
    insisting(client, 'GET', path, {});

/** The statuses of a server or a balancer that cannot answer now. */
const UNAVAILABLE = [502, 503, 504];

/** Repeats a request until it gets another response. The request must not change anything. */
export async function insisting(
  client: TestClient,
  method: string,
  path: string,
  options: RequestOptions,
): Promise<TestResponse> {
  for (;;) {
    const response = await client.send(method, path, options).catch(() => null);
    if (response !== null && !UNAVAILABLE.includes(response.status)) return response;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
}

export const exists = (path: string) => async (look: Look) => (await look(path)).status === 200;
export const isGone = (path: string) => async (look: Look) => (await look(path)).status === 404;
export const hasMember = (path: string, member: string, value: unknown) => async (look: Look) => {
  const body: unknown = (await look(path)).body;
  const found = member.split('.').reduce<unknown>((object, name) => Reflect.get(Object(object), name), body);
  return found === value;
};

/** Tells whether any page of a list contains an element whose `member` has this value. */
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
