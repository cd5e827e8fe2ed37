/** A message of the server's. */
export function message(code: string, content: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(code, 'latin1');
  header.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([header, content]);
}

/** A row. https://www.postgresql.org/docs/current/protocol-message-formats.html */
export function dataRow(values: readonly (string | null)[]): Buffer {
  const count = Buffer.alloc(2);
  count.writeUInt16BE(values.length);
  const cells = values.flatMap((value) => {
    const length = Buffer.alloc(4);
    const bytes = Buffer.from(value ?? '');
    length.writeInt32BE(value === null ? -1 : bytes.length);
    return [length, bytes];
  });
  return message('D', Buffer.concat([count, ...cells]));
}
