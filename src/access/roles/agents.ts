import type { ApiFunction } from '../../model/functions/function-types.ts';
import { allFunctions } from '../../model/lookup.ts';
import type { Model, Rights } from '../../model/types.ts';
import { roleView, type Sight } from './role-view.ts';
import type { Grant, Role, Rule } from './roles.ts';

const DENIED: Rule = { right: 'denied', claims: [] };

const NO_RIGHTS: Rights = { create: 'denied', update: 'denied', delete: 'denied' };

/** A role as it is for agents: without `mcp: write` it only reads, and executes only functions that change nothing. */
export function roleOfAgents(role: Role, model: Model): Role {
  if (role.mcp === 'write') return role;
  const reading = allFunctions(model).filter(changesNothing);
  const names = reading.map(({ fullName }) => fullName);
  return {
    ...role,
    functions: new Set(names.filter((name) => role.functions.has(name))),
    grants: new Map([...role.grants].map(([name, grant]) => [name, withoutChanges(grant)])),
  };
}

function withoutChanges({ rules, attributes }: Grant): Grant {
  return {
    rules: { read: rules.read, create: DENIED, update: DENIED, delete: DENIED },
    attributes,
  };
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
