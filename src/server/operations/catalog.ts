import { timedAsync } from '../../base/observe/observer.ts';
import { catalogText } from '../../answer/catalog.ts';
import { findDataclass } from '../../model/lookup.ts';
import type { CatalogRequest } from '../../protocol/ast.ts';
import type { Operation } from '../pipeline/operation.ts';
import { taggedAnswer } from '../tags/tagged-answer.ts';

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
