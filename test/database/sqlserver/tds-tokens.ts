/** Token streams of a server: https://learn.microsoft.com/openspecs/windows_protocols/ms-tds */

/** ENVCHANGE types of what became of a transaction. */
const CHANGED = { begin: 8, commit: 9, rollback: 10 } as const;

/** Version, and "encryption is not supported". */
export function preloginReply(): Buffer {
  const options = Buffer.from([0x00, 0x00, 0x0b, 0x00, 0x06, 0x01, 0x00, 0x11, 0x00, 0x01, 0xff]);
  return Buffer.concat([options, Buffer.from([16, 0, 0x10, 0, 0, 0, 0x02])]);
}

export function loginAck(): Buffer {
  const name = Buffer.from('Scripted', 'utf16le');
  const content = Buffer.concat([
    Buffer.from([0x01, 0x74, 0x00, 0x00, 0x04, name.length / 2]),
    name,
    Buffer.from([16, 0, 0, 0]),
  ]);
  const head = Buffer.alloc(3);
  head.writeUInt8(0xad, 0);
  head.writeUInt16LE(content.length, 1);
  return Buffer.concat([head, content]);
}

export function done(status = 0, type = 0xfd): Buffer {
  const token = Buffer.alloc(13);
  token.writeUInt8(type, 0);
  token.writeUInt16LE(status, 1);
  return token;
}

/** The end of a statement within a procedure; more follows. */
export function doneInProc(): Buffer {
  return done(0x01, 0xff);
}

export function doneProc(): Buffer {
  return done(0, 0xfe);
}

/** What a procedure returns. */
export function returnStatus(value: number): Buffer {
  const token = Buffer.alloc(5);
  token.writeUInt8(0x79, 0);
  token.writeInt32LE(value, 1);
  return token;
}

/** What an int parameter holds that goes out. */
export function returnValue(name: string, value: number): Buffer {
  const head = Buffer.from([0xac, 0, 0, name.length]);
  const number = Buffer.alloc(4);
  number.writeInt32LE(value);
  // Status, user type, flags, and the type: an int that may be null.
  const type = Buffer.from([0x01, 0, 0, 0, 0, 0, 0, 0x26, 4, 4]);
  return Buffer.concat([head, Buffer.from(name, 'utf16le'), type, number]);
}

/** What became of a transaction, whose descriptor is eight bytes long. */
export function changed(step: keyof typeof CHANGED): Buffer {
  const descriptor = Buffer.from([8, 1, 0, 0, 0, 0, 0, 0, 0]);
  const none = Buffer.from([0]);
  const values = step === 'begin' ? [descriptor, none] : [none, descriptor];
  const content = Buffer.concat([Buffer.from([CHANGED[step]]), ...values]);
  return Buffer.concat([Buffer.from([0xe3, content.length, 0]), content]);
}

/** One nullable int column called `n`. */
export function metadata(): Buffer {
  return columns(Buffer.from([0x26, 4]));
}

/** Columns called `n`, by their types. */
function columns(...types: readonly Buffer[]): Buffer {
  return columnsToken(...types.map((type) => ['n', type] as const));
}

/** Columns by their names and types, which may be null. */
export function columnsToken(...named: readonly (readonly [name: string, type: Buffer])[]): Buffer {
  return Buffer.concat([
    Buffer.from([0x81, named.length, 0]),
    ...named.flatMap(([name, type]) => [
      Buffer.from([0, 0, 0, 0, 0x01, 0x00]),
      type,
      Buffer.from([name.length]),
      Buffer.from(name, 'utf16le'),
    ]),
  ]);
}

/** One row of ints and bits. */
export function mixedRow(values: readonly (number | boolean)[]): Buffer {
  const isBit = (value: number | boolean): boolean => typeof value === 'boolean';
  const types = values.map((value) => Buffer.from(isBit(value) ? [0x68, 1] : [0x26, 4]));
  const cells = values.map((value) =>
    Buffer.from(isBit(value) ? [1, Number(value)] : [4, Number(value), 0, 0, 0]),
  );
  return Buffer.concat([columns(...types), Buffer.from([0xd1]), ...cells]);
}

export function row(value: number): Buffer {
  const token = Buffer.alloc(6);
  token.writeUInt8(0xd1, 0);
  token.writeUInt8(4, 1);
  token.writeInt32LE(value, 2);
  return token;
}

export function errorToken(number: number, message: string, severity = 14): Buffer {
  const text = Buffer.from(message, 'utf16le');
  const content = Buffer.alloc(4 + 1 + 1 + 2);
  content.writeInt32LE(number, 0);
  content.writeUInt8(1, 4);
  content.writeUInt8(severity, 5);
  content.writeUInt16LE(message.length, 6);
  const tail = Buffer.from([0, 0, 1, 0, 0, 0]);
  const head = Buffer.alloc(3);
  head.writeUInt8(0xaa, 0);
  head.writeUInt16LE(content.length + text.length + tail.length, 1);
  return Buffer.concat([head, content, text, tail]);
}
