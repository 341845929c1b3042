import { describe, expect, test } from 'vitest';
import {
  createStream,
  newAwsStream,
  newFileStream,
  newHttpsStream,
  newSplunkStream,
  STREAM_SCHEMAS,
  STREAMS,
} from '../support/log-streams.ts';
import { closedSinks } from '../support/sink-providers.ts';
import { useService } from '../support/use-service.ts';

const awsAccount = { accessKeyId: 'AKID', secretAccessKey: 'key', sessionToken: null, eventBridgeUrl: null };
const { service, org } = useService({ awsAccount, sinkProviders: closedSinks });

const pathOf = ({ id }: { id: string }): string => `${STREAMS}/${id}`;
const filtered = (filter: string): string => `${STREAMS}?filter=${encodeURIComponent(filter)}`;
const namesOf = (streams: readonly { name: string }[]) => streams.map(({ name }) => name);

describe('the list', () => {
  test('is paged both ways, and filtered by type and status', async () => {
    const own = await service.newOrg();
    const made = [];
    for (const body of [newAwsStream(), newSplunkStream(), newHttpsStream(), newFileStream(), newFileStream()]) {
      made.push(await createStream(own, body));
    }
    await own.admin.post(`${pathOf(made[3])}/lifecycle/deactivate`);
    const all = (await own.admin.get(STREAMS)).body;
    expect(namesOf(all).toSorted()).toEqual(namesOf(made).toSorted());
    const seen: string[] = [];
    let next: string | undefined = `${STREAMS}?limit=2`;
    while (next !== undefined) {
      const answer = await own.admin.get(next);
      expect(answer.body.length).toBeLessThanOrEqual(2);
      seen.push(...namesOf(answer.body));
      next = /<https:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(answer.headers['link']))?.[1];
    }
    expect(seen).toEqual(namesOf(all));
    const found = async (filter: string) => namesOf((await own.admin.get(filtered(filter))).body).toSorted();
    expect(await found('type eq "aws_eventbridge"')).toEqual([made[0].name]);
    expect(await found('status eq "INACTIVE"')).toEqual([made[3].name]);
    expect(await found('type eq "file_ndjson" and status eq "ACTIVE"')).toEqual([made[4].name]);
    expect(await found('type eq "pigeon"')).toEqual([]);
  });

  test.each([
    ['type sw "aws"', 'E0000031'],
    ['name eq "a"', 'E0000053'],
    ['type eq', 'E0000053'],
    ['settings.host eq "a"', 'E0000053'],
  ])('refuses the filter %s', async (filter, errorCode) => {
    expect(await org.admin.get(filtered(filter))).toMatchObject({ status: 400, body: { errorCode } });
  });

  test('refuses cursors of elsewhere', async () => {
    for (const query of ['after=edited', 'before=edited', 'after=a&before=b']) {
      expect(await org.admin.get(`${STREAMS}?${query}`)).toMatchObject({ status: 400 });
    }
  });
});

describe('schemas', () => {
  test('there is one for each type, that names what the type asks for and keeps', async () => {
    const all = (await org.admin.get(STREAM_SCHEMAS)).body;
    expect(all.map(({ title }: { title: string }) => title)).toHaveLength(4);
    for (const schema of all) {
      expect(schema.$id).toBe(schema._links.self.href);
      const path = String(schema.$id).slice(org.baseUrl.length);
      expect((await org.admin.get(path)).body).toEqual(schema);
      const { properties, required } = schema.properties.settings;
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
    }
    const { properties } = all[0].properties.settings;
    expect(properties.region).toMatchObject({ writeOnce: true });
    expect(properties.region.oneOf).toContainEqual({ const: 'eu-west-3', title: 'Europe (Paris)' });
    expect(new RegExp(properties.accountId.pattern).test('123456789012')).toBe(true);
  });

  test.each(['pigeon', 'toString', '__proto__'])('there is none of %s', async (type) => {
    expect(await org.admin.get(`${STREAM_SCHEMAS}/${type}`)).toMatchObject({
      status: 404,
      body: { errorCode: 'E0000007' },
    });
  });
});
