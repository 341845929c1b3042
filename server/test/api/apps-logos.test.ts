import { describe, expect, test } from 'vitest';
import { kindNamed, newAppOf } from '../support/app-kinds.ts';
import { APPS, createApp, invalidField } from '../support/apps.ts';
import { beforeTests } from '../support/before-tests.ts';
import { download as bytesAt } from '../support/download.ts';
import { multipart, PNG } from '../support/multipart.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();
const app = beforeTests(() => createApp(org, newAppOf(kindNamed('BOOKMARK bookmark'))));

const NOT_FOUND = { status: 404, body: { errorCode: 'E0000007' } };
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><rect width="1" height="1"/></svg>');
const upload = (content: Buffer, given: { id?: string; org?: TestOrg } = {}) =>
  (given.org ?? org).admin.post(`${APPS}/${given.id ?? app.id}/logo`, multipart('file', content));
const linkOf = async () => (await org.admin.get(`${APPS}/${app.id}`)).body._links.logo[0];

const download = (href: string) => bytesAt(service, org, href);

describe('logos', () => {
  test('without one the default is linked, and served', async () => {
    const link = await linkOf();
    expect(link).toEqual({ name: 'medium', href: expect.stringContaining(org.baseUrl), type: 'image/svg+xml' });
    const { content, headers, status } = await download(link.href);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'image/svg+xml' });
    expect(headers['cache-control']).toBe('public, max-age=3600');
    expect(content.toString()).toMatch(/^<svg /);
  });

  test.each([
    ['image/png', PNG],
    ['image/svg+xml', SVG],
  ])('%s: uploaded, linked, and served byte by byte, inert', async (type, content) => {
    const response = await upload(content);
    expect(response.status, response.text).toBe(201);
    expect(response.text).toBe('');
    const link = await linkOf();
    expect(link).toEqual({ name: 'medium', href: response.headers['location'], type });
    const served = await download(link.href);
    expect(served.status).toBe(200);
    expect(served.content.equals(content)).toBe(true);
    expect(served.headers).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*sandbox$/),
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const [event] = (await org.systemLog('eventType eq "application.configuration.update_logo"')).slice(-1);
    expect(event.target).toMatchObject([{ id: app.id, changeDetails: { to: { 'logo.mediaType': type } } }]);
  });

  test('a new one ends the address of the one before', async () => {
    const first = String((await upload(PNG)).headers['location']);
    const second = String((await upload(PNG)).headers['location']);
    expect(second).not.toBe(first);
    expect((await download(first)).status).toBe(404);
    expect((await download(second)).status).toBe(200);
  });

  test('two at once: one of them is the logo', async () => {
    const answers = await Promise.all([upload(PNG), upload(SVG), upload(PNG)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(answers.map(({ headers }) => headers['location'])).toContain((await linkOf()).href);
  });

  test('it goes with the app', async () => {
    const gone = await createApp(org, newAppOf(kindNamed('BOOKMARK bookmark')));
    const address = String((await upload(PNG, { id: gone.id })).headers['location']);
    await org.admin.post(`${APPS}/${gone.id}/lifecycle/deactivate`);
    await org.admin.del(`${APPS}/${gone.id}`);
    expect((await download(address)).status).toBe(404);
  });

  test('those of another org are not there', async () => {
    const other = await service.newOrg();
    const foreign = await createApp(other, newAppOf(kindNamed('BOOKMARK bookmark')));
    expect(await upload(PNG, { id: foreign.id })).toMatchObject(NOT_FOUND);
    const address = String((await upload(PNG, { id: foreign.id, org: other })).headers['location']);
    expect((await download(address)).status).toBe(404);
  });
});

describe('upload refuses', () => {
  test.each([
    ['what is no image', Buffer.from('hello')],
    ['a page', Buffer.from('<html></html>')],
    ['nothing', Buffer.alloc(0)],
    ['an SVG that runs', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['an image with a page behind it', Buffer.concat([PNG, Buffer.from('<html></html>')])],
    ['an image that is cut off', PNG.subarray(0, -1)],
    ['1 MB and more', Buffer.concat([PNG, Buffer.alloc(1_000_000)])],
  ])('%s, and changes nothing', async (_, content) => {
    const before = await linkOf();
    expect(await upload(content)).toMatchObject(invalidField('file'));
    expect(await linkOf()).toEqual(before);
  });

  test('more than the edge takes', async () => {
    expect((await upload(Buffer.alloc(1_100_000))).status).toBe(413);
  });

  test('another part, another body, another media type', async () => {
    const path = `${APPS}/${app.id}/logo`;
    expect(await org.admin.post(path, multipart('image', PNG))).toMatchObject(invalidField('file'));
    const type = { 'content-type': 'multipart/form-data; boundary=x' };
    expect(await org.admin.post(path, { raw: 'nonsense', headers: type })).toMatchObject(invalidField('body'));
    expect(await org.admin.post(path, { body: {} })).toMatchObject({ status: 400, body: { errorCode: 'E0000021' } });
    expect(await org.admin.post(path)).toMatchObject({ status: 400, body: { errorCode: 'E0000003' } });
  });

  test('an app that is not there, and whoever may not', async () => {
    expect(await upload(PNG, { id: '0oanobody' })).toMatchObject(NOT_FOUND);
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect((await reader.post(`${APPS}/${app.id}/logo`, multipart('file', PNG))).status).toBe(403);
    expect((await org.anonymous.post(`${APPS}/${app.id}/logo`, multipart('file', PNG))).status).toBe(401);
  });
});
