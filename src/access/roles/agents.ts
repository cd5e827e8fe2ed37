import type { ApiFunction } from '../../model/functions/function-types.ts';
import type { Model, Rights } from '../../model/types.ts';
import { roleView, type Sight } from './role-view.ts';
import type { Grant, Role, Rule } from './roles.ts';

const DENIED: Rule = { right: 'denied', claims: [] };

const NO_RIGHTS: Rights = { create: 'denied', update: 'denied', delete: 'denied' };

/** The roles as they are for agents: those without `mcp: write` only read, and execute only functions that change nothing. */
export function rolesOfAgents(
  roles: ReadonlyMap<string, Role>,
  model: Model,
): ReadonlyMap<string, Role> {
  const reading = readingFunctions(model);
  const readOnly = ({ grants, functions, ...role }: Role): Role => ({
    ...role,
    functions: new Set([...functions].filter((name) => reading.has(name))),
    grants: new Map([...grants].map(([name, grant]) => [name, withoutChanges(grant)])),
  });
  return new Map(
    [...roles].map(([name, role]) => [name, role.mcp === 'write' ? role : readOnly(role)]),
  );
}

function withoutChanges({ rules, attributes }: Grant): Grant {
  return {
    rules: { read: rules.read, create: DENIED, update: DENIED, delete: DENIED },
    attributes,
  };
}

function readingFunctions({ functions, dataclasses, singletons }: Model): Set<string> {
  const owners = [{ functions }, ...dataclasses.values(), ...singletons.values()];
  const all = owners.flatMap((owner) => [...owner.functions.values()]);
  return new Set(all.filter(changesNothing).map(({ fullName }) => fullName));
}

function changesNothing({ allowedOnHTTPGET }: ApiFunction): boolean {
  return allowedOnHTTPGET;
}

/** The model as agents of those who see everything have it. @param mayWrite whether they may change it */
export function modelOfAgents(model: Model, mayWrite: boolean): Model {
  const sights = [...model.dataclasses].map(([name, { rights }]): [string, Sight] => [
    name,
    {
      where: null,
      rights: mayWrite ? rights : NO_RIGHTS,
      hidden: new Set(),
      readOnly: new Set(),
    },
  ]);
  return roleView(model, new Map(sights), mayWrite ? () => true : changesNothing, true);
}
