import { ProtocolError, type ErrorName } from '../../base/errors.ts';

/** A cursor over the text of one parameter. Patterns are sticky (`/y`): they match at the cursor or not at all. */
export class TextScanner {
  readonly text: string;
  readonly within: string;
  offset = 0;
  readonly #start: number;

  /** @param start the position of the text's first character, where it is a part of something longer */
  constructor(text: string, within: string, start = 1) {
    this.text = text;
    this.within = within;
    this.#start = start;
  }

  /** 1-based, as messages count. */
  get position(): number {
    return this.#start + this.offset;
  }

  isAtEnd(): boolean {
    return this.offset >= this.text.length;
  }

  skipBlanks(): void {
    const code = this.text.charCodeAt(this.offset);
    // Printable ASCII: hardly anything else stands there.
    if (code > 32 && code < 127) return;
    this.take(/\s+/y);
  }

  /** The text that matches at the cursor, which moves behind it; null where nothing matches. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.offset;
    const match = pattern.exec(this.text);
    if (match === null) return null;
    this.offset += match[0].length;
    return match[0];
  }

  looksAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.offset;
    return pattern.test(this.text);
  }

  /** The text up to the first place where a global pattern (`/g`, as it is searched for) matches, or to the end. */
  takeUntil(pattern: RegExp): string {
    const from = this.offset;
    pattern.lastIndex = from;
    this.offset = pattern.exec(this.text)?.index ?? this.text.length;
    return this.text.slice(from, this.offset);
  }

  /** @throws ProtocolError at the cursor, with what stands there */
  fail(name: ErrorName, expected: string): never {
    const rest = this.text.slice(this.offset, this.offset + 20);
    return this.failAt(
      name,
      `${expected}, but found ${rest === '' ? 'the end' : `"${rest}${this.text.length > this.offset + 20 ? '…' : ''}"`}`,
      this.position,
    );
  }

  /** @throws ProtocolError at a position */
  failAt(name: ErrorName, message: string, position: number): never {
    throw new ProtocolError(name, `${message}.`, { within: this.within, position });
  }
}
