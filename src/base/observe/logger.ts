/** The part of a logger that is told of what goes on. */
export interface Logger {
  readonly error: (details: object, message: string) => void;
  readonly info: (details: object, message: string) => void;
  readonly debug: (details: object, message: string) => void;
}

/** The part that requests are written to. */
export interface RequestLogger extends Pick<Logger, 'error' | 'debug'> {
  /**
   * Writes a line at level info that is JSON already.
   * @param fields its members, one at least, without the braces around them
   */
  readonly line: (fields: string, message: string) => void;
}
