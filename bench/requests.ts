import { type Endpoint, openConnection, requestBytes } from './connection.ts';
import { assertGood, type Load } from './load.ts';

/** Returns the body of the response, parsed as JSON, or null if it is empty. */
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

export async function askPeer(endpoint: Endpoint, path: string): Promise<Load> {
  const { perSecond } = (await ask(endpoint, 'GET', path)) as { perSecond: number };
  return { perSecond, p50: Number.NaN, p99: Number.NaN };
}
