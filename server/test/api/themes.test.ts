import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { invalidField } from '../support/apps.ts';
import { download } from '../support/download.ts';
import { gifOf, icoOf, jpegOf, pngChunk, pngOf, pngSaying } from '../support/images.ts';
import { multipart } from '../support/multipart.ts';
import { withCustomRole } from '../support/roles.ts';
import { causesIn } from '../support/schemas.ts';
import type { TestOrg } from '../support/service.ts';
import { giveImage, type ImagePath, newTheme, themeOf, themesOf, upload } from '../support/themes.ts';
import { useService } from '../support/use-service.ts';

/** This file tests the API for themes and their images (ADR 0045; contract: Themes). */
const { service, org } = useService();
let theme: string;

beforeAll(async () => {
  theme = await themeOf(org);
});

const PICTURE = pngOf({ width: 300, height: 50 }, [200, 30, 30]);
const ICON = pngOf({ width: 32, height: 32 }, [200, 30, 30]);
const IMAGES: readonly (readonly [path: ImagePath, member: string, content: Buffer, status: number])[] = [
  ['logo', 'logo', PICTURE, 200],
  ['favicon', 'favicon', ICON, 201],
  ['background-image', 'backgroundImage', PICTURE, 201],
];
const NOT_FOUND = { status: 404, body: { errorCode: 'E0000007' } };
const changes = (of: TestOrg) => of.systemLog('eventType eq "system.theme.update"');

describe('the theme', () => {
  test('is one, of our own look, until something is chosen', async () => {
    const { body, status } = await org.admin.get(await themesOf(org));
    expect([status, body.length]).toEqual([200, 1]);
    const [one] = body;
    const links = ['favicon', 'logo', 'background-image'].map((name) => [
      name,
      { href: `${org.baseUrl}${theme}/${name}`, hints: { allow: ['POST', 'DELETE'] } },
    ]);
    expect(one).toEqual({
      id: expect.stringMatching(/^the\w{17}$/),
      logo: null,
      favicon: null,
      backgroundImage: null,
      primaryColorHex: '#1a50b5',
      primaryColorContrastHex: '#ffffff',
      secondaryColorHex: '#f3f5f8',
      secondaryColorContrastHex: '#000000',
      signInPageTouchPointVariant: 'SVC_DEFAULT',
      endUserDashboardTouchPointVariant: 'SVC_DEFAULT',
      errorPageTouchPointVariant: 'SVC_DEFAULT',
      emailTemplateTouchPointVariant: 'SVC_DEFAULT',
      loadingPageTouchPointVariant: 'SVC_DEFAULT',
      _links: {
        self: { href: `${org.baseUrl}${theme}`, hints: { allow: ['GET', 'PUT'] } },
        ...Object.fromEntries(links),
      },
    });
    expect(await org.admin.get(theme)).toMatchObject({ status: 200, body: one });
    const itsBrand = theme.split('/themes')[0] ?? '';
    for (const path of [
      '/api/v1/brands?expand=themes',
      `${itsBrand}?expand=domains,themes`,
      `${itsBrand}?expand=domains`,
    ]) {
      const shown = [(await org.admin.get(path)).body].flat();
      expect(shown.map(({ _embedded }) => _embedded)).toEqual([
        path.includes('themes') ? { themes: [one] } : undefined,
      ]);
    }
    const brand = await org.admin.get(theme.split('/themes')[0] ?? '');
    expect(brand.body._links.themes.href).toBe(`${org.baseUrl}${await themesOf(org)}`);
  });

  test('sent back as it was read changes nothing, and leaves no event', async () => {
    const own = await service.newOrg();
    const path = await themeOf(own);
    const before = await own.admin.get(path);
    const after = await own.admin.put(path, { body: before.body });
    expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']]);
    expect(await changes(own)).toEqual([]);
  });

  test('is replaced, by one who has seen it, with its event', async () => {
    const own = await service.newOrg();
    const path = await themeOf(own);
    const { headers } = await own.admin.get(path);
    const seen = { 'if-match': String(headers['etag']) };
    const { loadingPageTouchPointVariant: _, ...body } = newTheme({ primaryColorContrastHex: '#101010' });
    const changed = await own.admin.put(path, { body, headers: seen });
    expect(changed).toMatchObject({ status: 200, body: { ...body, loadingPageTouchPointVariant: 'SVC_DEFAULT' } });
    expect((await own.admin.put(path, { body: newTheme(), headers: seen })).status).toBe(412);
    expect((await own.admin.get(path)).body).toEqual(changed.body);
    const [event, ...others] = await changes(own);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      displayMessage: 'Theme updated',
      target: [
        {
          id: changed.body.id,
          type: 'Theme',
          changeDetails: { from: { primaryColorHex: null }, to: { primaryColorHex: '#ffcc00' } },
        },
      ],
    });
  });

  test('of two at once one is lost to neither', async () => {
    const own = await service.newOrg();
    const [path, seen] = [await themeOf(own), { 'if-match': '' }];
    seen['if-match'] = String((await own.admin.get(path)).headers['etag']);
    const put = (primaryColorHex: string) =>
      own.admin.put(path, { body: newTheme({ primaryColorHex }), headers: seen });
    const answers = await Promise.all([put('#111111'), put('#222222')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const both = await Promise.all([upload(own, 'logo', PICTURE), upload(own, 'favicon', ICON)]);
    expect(both.map(({ status }) => status)).toEqual([200, 201]);
    expect((await own.admin.get(path)).body).toMatchObject({ logo: both[0].body.url, favicon: both[1].body.url });
  });

  test.each<[string, object, readonly string[]]>([
    ['a word', { primaryColorHex: 'red' }, ['primaryColorHex: must be a colour such as #1a73e8.']],
    ['a style', { secondaryColorHex: '#fff;}*{}' }, ['secondaryColorHex: must be a colour such as #1a73e8.']],
    [
      'three digits',
      { primaryColorContrastHex: '#fff' },
      ['primaryColorContrastHex: must be a colour such as #1a73e8.'],
    ],
    [
      'an unknown variant',
      { emailTemplateTouchPointVariant: 'BACKGROUND_IMAGE' },
      ['emailTemplateTouchPointVariant: must be one of SVC_DEFAULT, FULL_THEME.'],
    ],
    [
      'the default by its inner name',
      { signInPageTouchPointVariant: 'DEFAULT' },
      ['signInPageTouchPointVariant: must be one of SVC_DEFAULT, BACKGROUND_SECONDARY_COLOR, BACKGROUND_IMAGE.'],
    ],
    ['nothing', { primaryColorHex: undefined }, ['primaryColorHex: The field cannot be left blank']],
    [
      'two faults',
      { primaryColorHex: 'x', loadingPageTouchPointVariant: 'y' },
      [
        'primaryColorHex: must be a colour such as #1a73e8.',
        'loadingPageTouchPointVariant: must be one of SVC_DEFAULT, NONE.',
      ],
    ],
  ])('with %s is refused, and stays', async (_, more, causes) => {
    const before = await org.admin.get(theme);
    const refused = await org.admin.put(theme, { body: newTheme({ ...more }) });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(causesIn(refused)).toEqual(causes);
    expect((await org.admin.get(theme)).body).toEqual(before.body);
  });

  test('of another org, or of none, is not there', async () => {
    const other = await service.newOrg();
    const theirs = await themeOf(other);
    for (const path of [
      theirs,
      theme.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
      theme.replace('/brands/b', '/brands/x'),
    ]) {
      expect(await org.admin.get(path)).toMatchObject(NOT_FOUND);
      expect(await org.admin.put(path, { body: newTheme() })).toMatchObject(NOT_FOUND);
      expect(await org.admin.del(`${path}/logo`)).toMatchObject(NOT_FOUND);
      expect(await org.admin.post(`${path}/logo`, multipart('file', PICTURE))).toMatchObject(NOT_FOUND);
    }
    expect(await org.admin.get((await themesOf(other)).replace('/brands/b', '/brands/x'))).toMatchObject(NOT_FOUND);
    expect((await other.admin.get(theirs)).body.logo).toBeNull();
  });

  test('is changed by who manages brands, by a standard role or one of the org’s own', async () => {
    const own = await service.newOrg();
    const path = await themeOf(own);
    const put = { body: newTheme() };
    const reader = await own.withRoles('READ_ONLY_ADMIN');
    expect((await reader.get(path)).status).toBe(200);
    const desk = await own.withRoles('HELP_DESK_ADMIN');
    expect((await desk.get(path)).status).toBe(403);
    for (const client of [reader, desk]) {
      expect((await client.put(path, put)).status).toBe(403);
      expect((await client.post(`${path}/logo`, multipart('file', PICTURE))).status).toBe(403);
      expect((await client.del(`${path}/logo`)).status).toBe(403);
    }
    expect((await own.anonymous.put(path, put)).status).toBe(401);
    expect((await own.admin.get(path)).body.primaryColorHex).toBe('#1a50b5');
    const brands = ['/api/v1/brands'];
    const viewer = await withCustomRole(own, ['customizations.read'], brands);
    expect([(await viewer.get(path)).status, (await viewer.put(path, put)).status]).toEqual([200, 403]);
    const designer = await withCustomRole(own, ['customizations.manage'], brands);
    expect((await designer.put(path, put)).status).toBe(200);
    expect((await designer.post(`${path}/logo`, multipart('file', PICTURE))).status).toBe(200);
    // A role with `customizations.manage` may not change email texts.
    const list = path.replace(/themes.*/, 'templates/email/UserActivation/customizations');
    expect((await designer.del(list)).status).toBe(403);
    const elsewhere = await withCustomRole(own, ['customizations.manage'], ['/api/v1/users']);
    expect((await elsewhere.put(path, put)).status).toBe(403);
  });
});

describe.each(IMAGES)('%s', (path, member, content, status) => {
  test('is uploaded, told, served byte by byte to everybody, inert and for ever, and deleted', async () => {
    const own = await service.newOrg();
    const at = await themeOf(own);
    const uploaded = await upload(own, path, content);
    const digest = createHash('sha256').update(content).digest('hex');
    const url = `${own.baseUrl}/fs/bco/7/${digest}`;
    expect([uploaded.status, uploaded.body]).toEqual([status, { url }]);
    expect((await own.admin.get(at)).body[member]).toBe(url);
    const served = await download(service, own, url);
    expect([served.status, served.content.equals(content)]).toEqual([200, true]);
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect((await download(service, org, `${org.baseUrl}/fs/bco/7/${digest}`)).status).toBe(404);
    expect((await own.admin.del(`${at}/${path}`)).status).toBe(204);
    expect((await own.admin.del(`${at}/${path}`)).status).toBe(204);
    expect((await download(service, own, url)).status).toBe(404);
    const told = (await changes(own)).map(({ target }) => target[0].changeDetails);
    expect(told).toEqual([
      { from: { [member]: null }, to: { [member]: digest } },
      { from: { [member]: digest }, to: { [member]: null } },
    ]);
  });

  test('the same again changes nothing; another one ends the address of the one before', async () => {
    const own = await service.newOrg();
    const first = await giveImage(own, path, content);
    expect(await giveImage(own, path, content)).toBe(first);
    expect(await changes(own)).toHaveLength(1);
    const second = await giveImage(own, path, pngOf({ width: 16, height: 16 }));
    expect(second).not.toBe(first);
    expect((await download(service, own, first)).status).toBe(404);
    expect((await download(service, own, second)).status).toBe(200);
  });

  test.each<[string, Buffer]>([
    ['text', Buffer.from('hello')],
    ['nothing', Buffer.alloc(0)],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><rect width="1" height="1"/></svg>')],
    ['an image with a page behind it', Buffer.concat([content, Buffer.from('<html><script>1</script></html>')])],
    ['an image with an archive behind it', Buffer.concat([content, Buffer.from('PK\x05\x06')])],
    ['an image that is cut off', content.subarray(0, -1)],
    ['a script that begins as a GIF', Buffer.from('GIF89a/*xxxxxxxxxxxxxxxx*/=1;alert(1)//;')],
    ['a million pixels', pngSaying(1_000_000, 1_000_000)],
    ['no pixels', pngSaying(0, 0)],
    ['an animation', gifOf({ width: 16, height: 16 }, 2)],
    ['too many bytes', Buffer.concat([content, Buffer.alloc(2_000_000)])],
  ])('refuses %s, and changes nothing', async (_, wrong) => {
    const before = await org.admin.get(theme);
    expect(await upload(org, path, wrong)).toMatchObject(invalidField('file'));
    expect((await org.admin.get(theme)).body).toEqual(before.body);
  });

  test('refuses no file, two files, another part, another body', async () => {
    const at = `${theme}/${path}`;
    const before = await org.admin.get(theme);
    const { headers = {} } = multipart('file', content);
    const partOf = (name: string): Buffer => {
      const raw = Buffer.from(multipart(name, content).raw ?? '');
      return raw.subarray(0, raw.lastIndexOf('--gatehouse'));
    };
    const twice = (name: string) => {
      const end = Buffer.from(multipart(name, content).raw ?? '');
      return { headers, raw: Buffer.concat([partOf('file'), end]) };
    };
    expect(await org.admin.post(at, multipart('image', content))).toMatchObject(invalidField('file'));
    expect(await org.admin.post(at, twice('file'))).toMatchObject(invalidField('body'));
    expect(await org.admin.post(at, twice('other'))).toMatchObject(invalidField('file'));
    expect(await org.admin.post(at, { body: {} })).toMatchObject({ status: 400, body: { errorCode: 'E0000021' } });
    expect(await org.admin.post(at)).toMatchObject({ status: 400, body: { errorCode: 'E0000003' } });
    const none = { raw: '--x--\r\n', headers: { 'content-type': 'multipart/form-data; boundary=x' } };
    expect(await org.admin.post(at, none)).toMatchObject(invalidField('file'));
    expect((await upload(org, path, Buffer.alloc(2_100_000))).status).toBe(413);
    expect((await org.admin.get(theme)).body).toEqual(before.body);
  });
});

test('limits are those that are published', async () => {
  const own = await service.newOrg();
  const noise = (length: number) => {
    const filled = (bytes: number) => pngOf({}, [0, 0, 0], [pngChunk('pHYs', Buffer.alloc(bytes))]);
    return filled(length - filled(0).length);
  };
  expect((await upload(own, 'logo', noise(99_999))).status).toBe(200);
  expect(await upload(own, 'logo', noise(100_000))).toMatchObject(invalidField('file'));
  expect((await upload(own, 'background-image', noise(1_999_999))).status).toBe(201);
  expect(await upload(own, 'background-image', noise(2_000_000))).toMatchObject(invalidField('file'));
  expect(await upload(own, 'favicon', pngOf({ width: 513, height: 513 }))).toMatchObject(invalidField('file'));
  expect(await upload(own, 'favicon', pngOf({ width: 32, height: 16 }))).toMatchObject(invalidField('file'));
  expect(await upload(own, 'favicon', jpegOf({ width: 8, height: 8 }))).toMatchObject(invalidField('file'));
  expect((await upload(own, 'favicon', icoOf([32, ICON]))).status).toBe(201);
  expect((await upload(own, 'logo', jpegOf())).status).toBe(200);
});
