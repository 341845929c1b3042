import { request } from 'node:https';
import type { TestOrg, TestService } from './service.ts';

export interface Download {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content: Buffer;
}

export function download(service: TestService, org: TestOrg, href: string): Promise<Download> {
  const { pathname } = new URL(href, org.baseUrl);
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: service.port,
      path: pathname,
      ca: service.ca,
      servername: org.hostname,
      headers: { host: `${org.hostname}:${service.port}`, accept: 'image/avif,image/*;q=0.8' },
    };
    request(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, content: Buffer.concat(chunks) });
      });
    })
      .on('error', reject)
      .end();
  });
}
