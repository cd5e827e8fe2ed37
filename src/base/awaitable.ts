/** A value, or a promise of it where another process has to be asked. */
export type Awaitable<Value> = Value | Promise<Value>;
