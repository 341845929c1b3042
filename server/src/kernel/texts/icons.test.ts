import { expect, test } from 'vitest';
import { icoOf, pngOf } from '../../../test/support/images.ts';
import { iconSideIn } from './icons.ts';

const square = (side: number): Buffer => pngOf({ width: side, height: side });
const bitmap = (side: number, height = side * 2): Buffer => {
  const picture = Buffer.alloc(40 + 8 * side);
  picture.writeUInt32LE(40, 0);
  picture.writeInt32LE(side, 4);
  picture.writeInt32LE(height, 8);
  return picture;
};

test.each<[string, Buffer, number]>([
  ['a PNG', icoOf([16, square(16)]), 16],
  ['a bitmap', icoOf([32, bitmap(32)]), 32],
  ['several', icoOf([16, bitmap(16)], [0, square(512)], [48, square(48)]), 512],
])('an icon of %s', (_, content, side) => expect(iconSideIn(content)).toBe(side));

const ICON = icoOf([16, square(16)]);
test.each<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['a PNG', square(16)],
  ['no pictures', icoOf()],
  ['another side than it tells', icoOf([32, square(16)])],
  ['a picture that is no square', icoOf([16, pngOf({ width: 16, height: 8 })])],
  ['a bitmap without its mask', icoOf([16, bitmap(16, 16)])],
  ['what is no picture', icoOf([16, Buffer.alloc(200, '<html>')])],
  ['more behind it', Buffer.concat([ICON, Buffer.from('<html>')])],
  ['a page inside its picture', icoOf([16, Buffer.concat([square(16), Buffer.from('<script>')])])],
])('%s is none', (_, content) => expect(iconSideIn(content)).toBeNull());

test('cut off anywhere it is none', () => {
  for (let length = 0; length < ICON.length; length += 1) expect(iconSideIn(ICON.subarray(0, length))).toBeNull();
});
