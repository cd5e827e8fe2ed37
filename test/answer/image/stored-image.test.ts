import { describe, expect, test } from 'vitest';
import { storedImage } from '../../../src/answer/image/stored-image.ts';
import { logos, oleObject, portraits } from '../../fixtures/legacy/binaries.ts';

const text = (value: string): Buffer => Buffer.from(`${value}\0`, 'latin1');

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const measured = (value: string): Buffer => Buffer.concat([number(value.length + 1), text(value)]);

/** An OLE object as Access has it, of any class. */
function object(className: string, native: Uint8Array, size = native.length): Buffer {
  const header = Buffer.from('151c1400020000000000000014001400ffffffff', 'hex');
  const ole = [number(0x501), number(2), measured(className), number(0), number(0), number(size)];
  return Buffer.concat([header, ...ole, native, Buffer.from('0105000000000000', 'hex')]);
}

/** A file as the Object Packager wraps it. */
function packaged(file: Uint8Array, size = file.length): Buffer {
  return Buffer.concat([
    Buffer.from('0200', 'hex'),
    text('ada.jpg'),
    text('C:\\Photos\\ada.jpg'),
    Buffer.from('00000300', 'hex'),
    measured('C:\\Temp\\ada.jpg'),
    number(size),
    file,
  ]);
}

const { png, jpeg, bitmap } = portraits;

describe('what a column of images holds is', () => {
  test.each([
    ['png', png],
    ['jpeg', jpeg],
    ['gif', logos.gif],
    ['bmp', bitmap],
    ['tiff', Buffer.from('II*\0')],
    ['webp', Buffer.from('RIFF\0\0\0\0WEBP')],
    [null, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    [null, Buffer.alloc(0)],
  ])('%s', (type, bytes) => {
    const { length } = bytes;
    expect(storedImage(Buffer.from(bytes), length)).toEqual({ start: 0, length, type });
  });

  test('a bitmap that Access has wrapped behind 78 bytes', () => {
    const bytes = Buffer.from(oleObject(bitmap));
    expect(storedImage(bytes.subarray(0, 200), bytes.length)).toEqual({
      start: 78,
      length: bitmap.length,
      type: 'bmp',
    });
  });

  test('a file that the Object Packager has wrapped', () => {
    const bytes = object('Package', packaged(jpeg));
    const found = storedImage(bytes, bytes.length);
    expect(found.type).toBe('jpeg');
    expect(bytes.subarray(found.start, found.start + found.length)).toEqual(Buffer.from(jpeg));
  });

  test('an object whose content is not an image, without what wraps it', () => {
    const bytes = object('Word.Document.6', Buffer.from('a letter'));
    const found = storedImage(bytes, bytes.length);
    expect([found.type, bytes.toString('latin1', found.start, found.start + found.length)]).toEqual(
      [null, 'a letter'],
    );
  });

  test('no longer than it is, whatever the headers say', () => {
    const bytes = object('PBrush', bitmap, 2 ** 32 - 1);
    const { start, length } = storedImage(bytes, bytes.length);
    expect(start + length).toBe(bytes.length);
    const wrapped = object('Package', packaged(jpeg, 2 ** 32 - 1));
    const inner = storedImage(wrapped, wrapped.length);
    expect(inner.start + inner.length).toBe(wrapped.length - 8);
  });

  const whole = object('PBrush', bitmap);
  test.each([
    ['the end of a header', whole.subarray(0, 30)],
    ['an object that is linked, not embedded', Buffer.from(whole).fill(1, 24, 25)],
    ['no bytes in it', object('PBrush', Buffer.alloc(0))],
    ['a name that has no end', Buffer.from(whole).fill(255, 28, 32)],
    ['a header as long as nothing', Buffer.from(whole).fill(255, 2, 4)],
    ['another thing packaged', object('Package', Buffer.from('03006162', 'hex'))],
    ['a package without the file', object('Package', packaged(jpeg).fill(1, 30, 31))],
  ])('as it is behind %s', (_, bytes) => {
    const { length } = bytes;
    expect(storedImage(bytes, length)).toEqual({ start: 0, length, type: null });
  });
});
