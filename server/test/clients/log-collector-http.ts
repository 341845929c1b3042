import { Agent, request } from 'node:https';

export interface LogEvent {
  readonly uuid: string;
  readonly published: string;
  readonly eventType: string;
  readonly target: readonly { readonly id: string }[] | null;
}

export interface LogPage {
  readonly events: readonly LogEvent[];
  /** The value of each `Link` header line, exactly as received. */
  readonly linkLines: readonly string[];
}

/** The service sent no complete response, or a 503. A collector then retries later. */
export class NoPage extends Error {}

export interface OrgAddress {
  readonly hostname: string;
  readonly port: number;
  readonly ca: string;
  readonly token: string;
}

const PATIENCE_MILLISECONDS = 60_000;

/** The `url` of a request is a path, or a URL from a link. */
export class CollectorHttp {
  readonly #address: OrgAddress;
  #agent: Agent;

  constructor(address: OrgAddress) {
    this.#address = address;
    this.#agent = new Agent({ keepAlive: true, ca: address.ca });
  }

  get base(): string {
    const { hostname, port } = this.#address;
    return `https://${hostname}:${port}`;
  }

  close(): void {
    this.#agent.destroy();
  }

  async page(url: string): Promise<LogPage> {
    const { status, text, linkLines } = await this.send('GET', url);
    if (status === 503) throw new NoPage(`503 ${text}`);
    if (status !== 200) throw new Error(`${url}: ${status} ${text}`);
    return { events: JSON.parse(text) as LogEvent[], linkLines };
  }

  send(
    method: string,
    url: string,
    body?: unknown,
  ): Promise<{ status: number; text: string; linkLines: readonly string[] }> {
    const { hostname, port, token } = this.#address;
    const { pathname, search } = new URL(url, this.base);
    const payload = body === undefined ? '' : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          agent: this.#agent,
          host: '127.0.0.1',
          port,
          servername: hostname,
          method,
          path: pathname + search,
          timeout: PATIENCE_MILLISECONDS,
          headers: {
            host: `${hostname}:${port}`,
            accept: 'application/json',
            authorization: `SSWS ${token}`,
            'content-length': Buffer.byteLength(payload),
            ...(payload === '' ? {} : { 'content-type': 'application/json' }),
          },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', (error) => reject(new NoPage(error.message)));
          incoming.on('aborted', () => reject(new NoPage('aborted')));
          incoming.on('end', () => {
            const { rawHeaders } = incoming;
            const linkLines = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'link');
            resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8'), linkLines });
          });
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error('timeout')));
      outgoing.on('error', (error) => reject(new NoPage(error.message)));
      outgoing.end(payload);
    });
  }
}

/** Finds a link in the Link header lines, as a general RFC 8288 parser would. */
export function linkOf(page: LogPage, relation: string): string | undefined {
  for (const line of page.linkLines) {
    for (const [, url, name] of line.matchAll(/<([^>]*)>;\s*rel="([^"]*)"/g)) {
      if (name === relation) return url;
    }
  }
  return undefined;
}

export const microseconds = (date: Date): string => date.toISOString().replace('Z', '000');

export function required(url: string | undefined): string {
  if (url === undefined) throw new Error('the page has no next link');
  return url;
}
