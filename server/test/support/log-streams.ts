import type { TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';

export const STREAMS = '/api/v1/logStreams';
export const STREAM_SCHEMAS = '/api/v1/meta/schemas/logStream';

export const TOKEN = '58A7C8D6-4E2F-4C3B-8F5B-D4E2F3A4B5C6';
export const HMAC_SECRET = 'not-to-be-seen-again';

type Body = Record<string, unknown>;
type Given = Readonly<Record<string, unknown>>;

let names = 0;
const newName = (): string => {
  names += 1;
  return `stream ${names}`;
};

/** The functions named `new...Stream` build bodies that create streams. `given` changes their settings. */
export const newAwsStream = (given: Given = {}): Body => ({
  name: newName(),
  type: 'aws_eventbridge',
  settings: { accountId: '123456789012', eventSourceName: 'gatehouse.test_1', region: 'eu-west-3', ...given },
});

export const newSplunkStream = (given: Given = {}): Body => ({
  name: newName(),
  type: 'splunk_cloud_logstreaming',
  settings: { host: 'acme.splunk.example', edition: 'aws', token: TOKEN, ...given },
});

export const newHttpsStream = (given: Given = {}): Body => ({
  name: newName(),
  type: 'https_ndjson',
  settings: { url: 'https://streams.example/in', secret: HMAC_SECRET, ...given },
});

export const newFileStream = (given: Given = {}): Body => ({
  name: newName(),
  type: 'file_ndjson',
  settings: { ...given },
});

export async function createStream(org: TestOrg, body: Given): Promise<TestResponse['body']> {
  const response = await org.admin.post(STREAMS, { body });
  if (response.status !== 200) throw new Error(`the stream was not created: ${response.text}`);
  return response.body;
}
