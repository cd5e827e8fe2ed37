import { readFileSync } from 'node:fs';

/** TypeScript declares it for browsers only. */
const { Module } = Reflect.get(globalThis, 'WebAssembly') as {
  readonly Module: new (bytes: Uint8Array) => object;
};

/** Setup files run again for each file of tests. */
const shared = globalThis as { compiledPglite?: object };

/**
 * Keeps PostgreSQL compiled between the embedded databases of a worker: V8 compiles the same bytes once in a process, while anything holds the module. Each
 * database would compile it again, and again better what it uses much, which takes longer than to fill it.
 */
shared.compiledPglite ??= new Module(
  readFileSync('node_modules/@electric-sql/pglite/dist/pglite.wasm'),
);
