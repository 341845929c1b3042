import { describe, expect, test } from 'vitest';
import { gifOf, jpegOf, pngOf, pngSaying } from '../../../../test/support/images.ts';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { MAXIMUM_IMAGE_BYTES, readImage } from './image-rules.ts';

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
    ['image/png', pngOf()],
    ['image/gif', gifOf()],
    ['image/jpeg', jpegOf()],
    ['image/svg+xml', svg('<rect width="1" height="1"/>')],
    ['image/svg+xml', Buffer.from('\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- a -->\n<svg xmlns="x"/>')],
    ['image/svg+xml', svg('<use href="#a"/><image href="data:image/png;base64,AAAA"/>')],
  ])('%s', (type, content) => expect(readImage(content)).toBe(type));

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hello')],
    ['a page', Buffer.from('<html><script>alert(1)</script></html>')],
    ['a page that calls itself SVG', Buffer.from('<html><svg></svg></html>')],
    ['a PNG that is cut off', pngOf().subarray(0, 20)],
    ['a JPEG without a frame', jpegOf().subarray(0, 8)],
    ['a BMP', Buffer.from('BM0000000000000000')],
    ['too many bytes', Buffer.concat([pngOf(), Buffer.alloc(MAXIMUM_IMAGE_BYTES)])],
    ['no width', pngSaying(0, 3)],
    ['a width of a million', pngSaying(1_000_000, 3)],
    ['a height of 65,535', jpegOf({ height: 65_535 })],
    ['a wide GIF', gifOf({ width: 4_097 })],
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
});
