import { nameHint } from '../base/names.ts';
import { aliasOf } from './attributes.ts';
import type { DataclassDraft, Drafts } from './draft.ts';
import { isRelation, isStored, type AliasAttribute, type Member } from './types.ts';

/** Adds the attributes that are other names for what relations lead to, at their places among the others, once all relations are there. */
export function buildAliases(drafts: Drafts): void {
  for (const draft of drafts.values()) {
    const { context, members } = draft;
    const declared = Object.entries(context.mapping.attributes ?? {});
    const aliases = declared.flatMap(([name, setting]): AliasAttribute[] => {
      const path = aliasOf(setting, context.table);
      const alias = path === null ? null : readAlias(name, path, draft);
      const isExposed = typeof setting === 'string' || setting.exposed;
      return alias !== null && isExposed ? [alias] : [];
    });
    if (aliases.length === 0) continue;
    const ordered = new Map<string, Member | undefined>(
      declared.map(([name]) => [name, members.get(name)]),
    );
    for (const alias of aliases) ordered.set(alias.name, alias);
    for (const [name, member] of members) ordered.set(name, member);
    members.clear();
    for (const [name, member] of ordered) if (member !== undefined) members.set(name, member);
  }
}

/** An alias; null where its path leads to no attribute, which is reported. */
function readAlias(
  name: string,
  path: readonly string[],
  { context, dataclass, members }: DataclassDraft,
): AliasAttribute | null {
  const problem = (message: string): null => {
    context.problem(['attributes', name], message);
    return null;
  };
  if (members.has(name)) return problem(`${dataclass.name} already has a relation ${name}`);
  const written = path.join('.');
  let here = dataclass;
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1;
    const member = here.members.get(step);
    const known = [...here.members.values()].filter((other) =>
      isLast ? isStored(other) : other.kind === 'relatedEntity',
    );
    if (member === undefined) {
      const names = known.map((other) => other.name);
      const what = isLast ? 'attribute' : 'relation to one';
      const table = index === 0 ? `, and its table no column ${written}` : '';
      return problem(`${here.name} has no ${what} ${step}${table}.${nameHint(step, names)}`);
    }
    if (isLast) {
      if (!isStored(member)) {
        const what = isRelation(member) ? 'entities' : 'an alias';
        return problem(`${written} leads to ${what}: an alias names an attribute`);
      }
      return member.type === 'image' || member.type === 'blob'
        ? problem(`${written} is of type ${member.type}, which clients ask its own entity for`)
        : { kind: 'alias', name, path, aliased: member, readOnly: true };
    }
    if (member.kind !== 'relatedEntity') {
      return problem(`${here.name}.${step} is no relation to one: an alias has one value`);
    }
    here = member.target;
  }
  return null;
}
