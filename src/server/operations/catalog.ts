import { writtenText } from '../../answer/entities/entity-writer.ts';
import { timedAsync } from '../../base/observe/observer.ts';
import { TimeSlice } from '../../base/time.ts';
import { catalogText } from '../../answer/catalog.ts';
import { openApiWriting } from '../../contract/openapi.ts';
import { findDataclass } from '../../model/lookup.ts';
import type { CatalogRequest, OpenApiRequest } from '../../protocol/ast.ts';
import type { Operation } from '../pipeline/operation.ts';
import { taggedAnswer } from '../http/etags.ts';

/** Describes the model (§4.1). */
export const catalog: Operation<CatalogRequest> = {
  changes: false,
  answer: (context) =>
    timedAsync(context, 'respond', () => {
      const { ast, caller, request, services } = context;
      const { model } = caller.audience;
      const dataclasses =
        ast.names.length === 0
          ? model.dataclasses.values()
          : ast.names.map((name) => findDataclass(model, name));
      const text = catalogText(model, dataclasses, ast.detail, services.catalog);
      return taggedAnswer({ text }, request, services);
    }),
};

/** Describes the API as the user's roles see it, as an OpenAPI document, which is written once for all users with these roles. */
export const openapi: Operation<OpenApiRequest> = {
  changes: false,
  answer: (context) =>
    timedAsync(context, 'respond', async () => {
      const { caller, request, services, signal } = context;
      const { key, model } = caller.audience;
      let document = services.openApiDocuments.get(key);
      if (document === undefined) {
        const writing = openApiWriting(model, services.contract);
        document = { text: await writtenText(writing, new TimeSlice(signal)) };
        services.openApiDocuments.set(key, document);
      }
      return taggedAnswer(document, request, services);
    }),
};
