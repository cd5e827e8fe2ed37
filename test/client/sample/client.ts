// The client as `entitygate types` writes it beside the model, where all its files are one.
export * from '../../../src/client/client.ts';
export * from '../../../src/client/connection.ts';
export * from '../../../src/client/dataclass.ts';
export * from '../../../src/client/json.ts';
export * from '../../../src/client/model.ts';
export * from '../../../src/client/query.ts';
export * from '../../../src/client/types.ts';
