import { type Endpoint, openConnection, requestBytes } from './connection.ts';
import { assertGood } from './load.ts';

/** Sends one request on its own connection. Returns the answer's JSON, or null if the body is empty. */
export async function ask(
  endpoint: Endpoint,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): Promise<unknown> {
  const connection = await openConnection(endpoint, 0);
  try {
    const answer = await connection.send(requestBytes(endpoint, method, path, headers, body));
    assertGood(answer);
    const text = answer.body.toString('utf8');
    return text === '' ? null : (JSON.parse(text) as unknown);
  } finally {
    connection.close();
  }
}

/** Runs one of the peer's loops and returns the rate per second that the peer counted. */
export async function askPeer(endpoint: Endpoint, path: string): Promise<number> {
  const { perSecond } = (await ask(endpoint, 'GET', path)) as { perSecond: number };
  return perSecond;
}
