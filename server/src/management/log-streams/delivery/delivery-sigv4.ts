import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** This is null for permanent credentials. */
  readonly sessionToken: string | null;
}

export interface AwsRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly region: string;
  readonly service: string;
  readonly now: Date;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Encodes everything except the unreserved characters of RFC 3986. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const byCode = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const canonicalQuery = (url: URL): string =>
  [...url.searchParams]
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort((one, other) => byCode(one[0], other[0]) || byCode(one[1], other[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** The path of the URL has already been encoded once. Services other than S3 require this second encoding. */
const canonicalPath = (url: URL): string => url.pathname.split('/').map(encoded).join('/');

const canonicalHeaders = (headers: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')])
    .sort(([one], [other]) => byCode(one, other));

/** The key is valid for one day, region and service. */
export const signingKeyOf = (secretAccessKey: string, day: string, region: string, service: string): Buffer =>
  hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), service), 'aws4_request');

/** Returns the headers of the request and of its signature (AWS Signature Version 4). */
export function signAwsRequest(credentials: AwsCredentials, request: AwsRequest): Record<string, string> {
  const { body, method, now, region, service } = request;
  const url = new URL(request.url);
  const time = now.toISOString().replace(/[:-]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const headers: Record<string, string> = {
    ...request.headers,
    Host: url.host,
    'X-Amz-Date': time,
    ...(credentials.sessionToken === null ? {} : { 'X-Amz-Security-Token': credentials.sessionToken }),
  };
  const canonical = canonicalHeaders(headers);
  const names = canonical.map(([name]) => name).join(';');
  const lines = canonical.map(([name, value]) => `${name}:${value}\n`).join('');
  const asked = [method, canonicalPath(url), canonicalQuery(url), lines, names, sha256(body)].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = signingKeyOf(credentials.secretAccessKey, day, region, service);
  const signature = hmac(key, [ALGORITHM, time, scope, sha256(asked)].join('\n')).toString('hex');
  const credential = `${credentials.accessKeyId}/${scope}`;
  const authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, Authorization: authorization };
}
