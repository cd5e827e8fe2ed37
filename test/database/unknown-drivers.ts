import { createRequire } from 'node:module';
import pg from 'pg';
import { Connection } from 'tedious';

const require = createRequire(import.meta.url);

/** What the module of a driver exports, loaded and kept by its full name. */
export function loaded(name: string): NodeJS.Module {
  require(name);
  const module = require.cache[require.resolve(name)];
  if (module === undefined) throw new Error(`${name} is not kept`);
  return module;
}

/** Makes `pg` one that takes what comes another way. @returns what undoes that */
export function changePg(): () => void {
  const prototype = pg.Connection.prototype as unknown as {
    attachListeners: (stream: object) => void;
  };
  const { attachListeners } = prototype;
  prototype.attachListeners = function attach(stream) {
    const emitter = stream as NodeJS.EventEmitter;
    const on = (event: string, listener: () => void): unknown =>
      emitter.addListener(event, listener);
    attachListeners.call(this, { on });
  };
  return () => {
    prototype.attachListeners = attachListeners;
  };
}

/** Makes `tedious` one without a parser of its own for each token; it is loaded already. @returns what undoes that */
export function changeTedious(): () => void {
  const module = loaded('tedious/lib/token/done-token-parser.js');
  const exports = module.exports as unknown;
  module.exports = {};
  return () => {
    module.exports = exports;
  };
}

/** Makes `tedious` one that sends the login by another method. @returns what undoes that */
export function changeLogin(): () => void {
  const own = Object.getOwnPropertyDescriptor(Connection.prototype, 'sendLogin7Packet') ?? {};
  const { value } = own as { readonly value?: unknown };
  Object.defineProperty(Connection.prototype, 'sendLogin7Packet', {
    configurable: true,
    get: () => value,
    set: () => undefined,
  });
  return () => Object.defineProperty(Connection.prototype, 'sendLogin7Packet', own);
}
