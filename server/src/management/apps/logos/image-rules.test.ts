import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors.ts';
import { MAXIMUM_IMAGE_BYTES, readImage } from './image-rules.ts';

/** The smallest of each kind that has a header: width 2, height 3. */
const png = (width = 2, height = 3): Buffer => {
  const header = Buffer.alloc(33);
  header.write('\x89PNG\r\n\x1a\n', 'latin1');
  header.writeUInt32BE(13, 8);
  header.write('IHDR', 12, 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header;
};
const gif = (width = 2, height = 3): Buffer => {
  const header = Buffer.alloc(14);
  header.write('GIF89a', 'latin1');
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  return header;
};
const jpeg = (width = 2, height = 3): Buffer => {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, height & 0xff, 0, width & 0xff, 3, 0, 0, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]), frame]);
};
const svg = (inside = '', attributes = ''): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${inside}</svg>`);

const refused = (content: Uint8Array): boolean => {
  try {
    readImage(content);
    return false;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.message).toBe('Api validation failed: file');
    return true;
  }
};

describe('images', () => {
  test.each([
    ['image/png', png()],
    ['image/gif', gif()],
    ['image/jpeg', jpeg()],
    ['image/svg+xml', svg('<rect width="1" height="1"/>')],
    ['image/svg+xml', Buffer.from('\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- a -->\n<svg xmlns="x"/>')],
    ['image/svg+xml', svg('<use href="#a"/><image href="data:image/png;base64,AAAA"/>')],
  ])('%s', (type, content) => expect(readImage(content)).toBe(type));

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hello')],
    ['a page', Buffer.from('<html><script>alert(1)</script></html>')],
    ['a page that calls itself SVG', Buffer.from('<html><svg></svg></html>')],
    ['a PNG that is cut off', png().subarray(0, 20)],
    ['a JPEG without a frame', jpeg().subarray(0, 8)],
    ['a BMP', Buffer.from('BM0000000000000000')],
    ['too many bytes', Buffer.concat([png(), Buffer.alloc(MAXIMUM_IMAGE_BYTES)])],
    ['no width', png(0, 3)],
    ['a width of a million', png(1_000_000, 3)],
    ['a height of 65,535', jpeg(2, 65_535)],
    ['a wide GIF', gif(4_097, 1)],
    ['SVG that is no UTF-8', Buffer.from([...svg(), 0xff])],
  ])('%s is none', (_, content) => expect(refused(content)).toBe(true));

  test.each([
    svg('<script>alert(1)</script>'),
    svg('<SCRIPT href="data:,x"/>'),
    svg('<x:script xmlns:x="http://www.w3.org/2000/svg">1</x:script>'),
    svg('', ' onload="alert(1)"'),
    svg('<rect/onclick=alert(1)>'),
    svg('<a href="javascript:alert(1)"><text>a</text></a>'),
    svg('<a xlink:href="https://evil.example"><text>a</text></a>'),
    svg('<image href="//evil.example/a.png"/>'),
    svg('<foreignObject><body/></foreignObject>'),
    svg('<style>@import "https://evil.example"</style>'),
    svg('<use href="data:image/svg+xml;base64,AAAA"/>'),
    Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>'),
    Buffer.from('<?xml version="1.0"?><?xml-stylesheet href="a"?><svg/>'),
  ])('an SVG that does something is refused: %s', (content) => expect(refused(content)).toBe(true));

  test('any bytes are judged without a fault', () => {
    for (const start of [png(), gif(), jpeg(), svg()]) {
      for (let length = 0; length <= start.length; length += 1) {
        const content = Buffer.concat([start.subarray(0, length), Buffer.from([0xff, 0xff, 0, 0])]);
        try {
          readImage(content);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }
    }
  });
});
