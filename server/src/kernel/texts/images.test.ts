import { describe, expect, test } from 'vitest';
import { gifOf, jpegOf, pngChunk, pngOf, pngSaying } from '../../../test/support/images.ts';
import { rasterIn } from './images.ts';

const text = (content: string): Buffer => Buffer.from(content, 'latin1');
const PAGE = text('<html><script>alert(1)</script></html>');
const ARCHIVE = text('PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0');
const IMAGES = [
  ['image/png', pngOf()],
  ['image/gif', gifOf()],
  ['image/jpeg', jpegOf()],
] as const;

describe.each(IMAGES)('%s', (type, image) => {
  test('is known, with its size', () => {
    expect(rasterIn(image)).toEqual({ type, width: 2, height: 3, isAnimated: false });
  });

  test.each([
    ['a page', PAGE],
    ['an archive', ARCHIVE],
    ['one byte', Buffer.alloc(1)],
    ['another image', image],
  ])('with %s behind it is none', (_, more) => {
    expect(rasterIn(Buffer.concat([image, more]))).toBeNull();
  });

  test('cut off anywhere is none, and any bytes are judged without a fault', () => {
    for (let length = 0; length < image.length; length += 1) {
      const start = image.subarray(0, length);
      expect(rasterIn(start)).toBeNull();
      const broken = Buffer.concat([start, Buffer.from([0xff, 0xff, 0, 0])]);
      expect([null, type]).toContain(rasterIn(broken)?.type ?? null);
    }
  });

  test('with any one byte changed is judged without a fault', () => {
    for (let at = 0; at < image.length; at += 1) {
      for (const value of [0, 0x3b, 0xff]) {
        const changed = Buffer.from(image);
        changed.writeUInt8(value, at);
        expect([null, type]).toContain(rasterIn(changed)?.type ?? null);
      }
    }
  });
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['text', text('hello')],
  ['a page', PAGE],
  ['an SVG', text('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a BMP', text('BM0000000000000000')],
  ['a script that begins as a GIF', text('GIF89a/*xxxxxxxxxxxx*/=1;alert(1);')],
  ['a script that ends as a GIF', text('GIF89a=1;/*xxxxxxxxxxxxxxxxxxxx*/;')],
  ['a PNG with a page inside it', pngOf({}, [0, 0, 0], [pngChunk('tEXt', Buffer.concat([text('Comment\0'), PAGE]))])],
  [
    'a PNG without pixels',
    Buffer.concat([text('\x89PNG\r\n\x1a\n'), pngChunk('IHDR', Buffer.alloc(13)), pngChunk('IEND')]),
  ],
  [
    'a PNG with another header first',
    Buffer.concat([text('\x89PNG\r\n\x1a\n'), pngChunk('tEXt'), pngOf().subarray(8)]),
  ],
])('%s is none', (_, content) => expect(rasterIn(content)).toBeNull());

test('what is told of a picture belongs to it', () => {
  const described = pngOf(
    {},
    [0, 0, 0],
    [pngChunk('tEXt', text('Title\0A <b>mark</b>')), pngChunk('pHYs', Buffer.alloc(9))],
  );
  expect(rasterIn(described)).toMatchObject({ type: 'image/png' });
});

test('what moves is told', () => {
  expect(rasterIn(gifOf({}, 2))?.isAnimated).toBe(true);
  expect(rasterIn(pngOf({}, [0, 0, 0], [pngChunk('acTL', Buffer.alloc(8))]))?.isAnimated).toBe(true);
});

test('sizes are what a browser makes room for', () => {
  expect(rasterIn(pngSaying(1_000_000, 3))).toMatchObject({ width: 1_000_000, height: 3 });
  expect(rasterIn(jpegOf({ height: 65_535 }))).toMatchObject({ height: 65_535 });
  const wide = gifOf();
  // The picture lies far outside the screen that the header declares.
  wide.writeUInt16LE(60_000, wide.indexOf(0x2c) + 1);
  expect(rasterIn(wide)).toMatchObject({ width: 60_002, height: 3 });
});
