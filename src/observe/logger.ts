/** The part of a logger that requests are written to. */
export interface Logger {
  readonly error: (details: object, message: string) => void;
  readonly info: (details: object, message: string) => void;
  readonly debug: (details: object, message: string) => void;
}
