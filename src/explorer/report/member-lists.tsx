import type { ComponentChildren } from 'preact';
import { AttributeTree } from '../collection/attribute-tree.tsx';
import { columnOf, isNumeric, type Column } from '../collection/columns.ts';
import type { Attribute, Catalog, Dataclass } from '../rest/catalog.ts';
import { Icon } from '../ui/icon.tsx';
import { DraftInput } from './draft-input.tsx';
import {
  aggregatesOf,
  COUNT,
  DATE_PARTS,
  figureExpression,
  figureOf,
  firstGroup,
  groupExpression,
  groupOf,
  isGroup,
  memberName,
  type Member,
} from './report.ts';

interface ListProps {
  readonly dataclass: Dataclass;
  readonly catalog: Catalog;
  readonly members: readonly Member[];
  readonly onChange: (members: readonly Member[]) => void;
}

/** The groups of a report: attributes, also over relations to one, dates by their parts, numbers by steps. */
export function GroupList({ dataclass, catalog, members, onChange }: ListProps) {
  const column = (path: string): Column | null => columnOf(path, dataclass, catalog);
  return (
    <MemberList
      title="Groups"
      action="Group by…"
      dataclass={dataclass}
      members={members}
      onChange={onChange}
      pathOf={(member) => groupOf(member).path}
      isOffered={(path) => isGroup(column(path))}
      leadsOn={(path) => column(path)?.isToMany === false}
      added={(path) => firstGroup(path, column(path))}
      edit={(member, change) => {
        const { path, by } = groupOf(member);
        const type = column(path)?.type;
        const set = (next: string): void =>
          change({ ...member, expression: groupExpression(path, next) });
        return (
          <>
            <span>{path}</span>
            {type === 'date' && (
              <select
                aria-label={`Part of ${path}`}
                value={by}
                onChange={({ currentTarget }) => set(currentTarget.value)}
              >
                {['', ...DATE_PARTS].map((part) => (
                  <option key={part} value={part}>
                    {part === '' ? 'as it is' : `by ${part}`}
                  </option>
                ))}
              </select>
            )}
            {type !== undefined && isNumeric(type) && (
              <label>
                in steps of
                <DraftInput
                  aria-label={`Step of ${path}`}
                  inputMode="decimal"
                  placeholder="none"
                  value={by.replace(/^step\(|\)$/g, '')}
                  onDone={set}
                />
              </label>
            )}
          </>
        );
      }}
    />
  );
}

/** The figures of a report: aggregates of attributes, also over relations to one, and over one to many. */
export function FigureList({ dataclass, catalog, members, onChange }: ListProps) {
  const column = (path: string): Column | null => columnOf(path, dataclass, catalog);
  const used = members.map(({ expression }) => expression);
  const unused = (path: string): readonly string[] =>
    aggregatesOf(column(path)).filter((one) => !used.includes(figureExpression(one, path)));
  /** A figure leads over one relation to many at most. */
  const leadsOn = (path: string, { kind }: Attribute): boolean =>
    kind !== 'relatedEntities' || column(path.slice(0, path.lastIndexOf('.')))?.isToMany !== true;
  const added = (path: string): Member => {
    const [aggregate = 'count'] = unused(path);
    return { expression: figureExpression(aggregate, path), name: '' };
  };
  return (
    <MemberList
      title="Figures"
      action="Show…"
      dataclass={dataclass}
      members={members}
      onChange={(next) => onChange(next.length === 0 ? [COUNT] : next)}
      pathOf={(member) => figureOf(member).path}
      isOffered={(path, attribute) =>
        attribute.kind !== 'relatedEntity' &&
        leadsOn(path, attribute) &&
        aggregatesOf(column(path)).length > 0
      }
      leadsOn={leadsOn}
      added={added}
      edit={(member, change) => {
        const { aggregate, path } = figureOf(member);
        const others = path === '' ? [] : unused(path);
        return (
          <>
            <select
              aria-label={path === '' ? 'Aggregate' : `Aggregate of ${path}`}
              value={aggregate}
              onChange={({ currentTarget: { value } }) =>
                change({ ...member, expression: figureExpression(value, path) })
              }
            >
              {[aggregate, ...others].map((known) => (
                <option key={known}>{known}</option>
              ))}
            </select>
            <span>of {path === '' ? dataclass.name : path}</span>
            <DraftInput
              aria-label={`Name of ${member.expression}`}
              placeholder="Name"
              value={member.name}
              onDone={(name) => change({ ...member, name: name.replace(/[\s.,:*()[\]="']/gu, '') })}
            />
            {others.length > 0 && (
              <button
                type="button"
                class="quiet"
                aria-label={`Another figure of ${path}`}
                onClick={() => onChange([...members, added(path)])}
              >
                <Icon name="add" />
              </button>
            )}
          </>
        );
      }}
    >
      <label>
        <input
          type="checkbox"
          checked={used.includes(COUNT.expression)}
          onChange={({ currentTarget: { checked } }) =>
            onChange(
              checked
                ? [COUNT, ...members]
                : members.filter(({ expression }) => expression !== COUNT.expression),
            )
          }
        />
        count of {dataclass.name}
      </label>
    </MemberList>
  );
}

interface MemberListProps extends Omit<ListProps, 'catalog'> {
  readonly title: string;
  readonly action: string;
  readonly pathOf: (member: Member) => string;
  readonly isOffered: (path: string, attribute: Attribute) => boolean;
  readonly leadsOn: (path: string, relation: Attribute) => boolean;
  readonly added: (path: string) => Member;
  readonly edit: (member: Member, change: (member: Member) => void) => ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Members in their order, which is that of the table's columns, and the attributes that they are chosen from. */
function MemberList(props: MemberListProps) {
  const { title, members, onChange, pathOf, added } = props;
  const paths = members.map(pathOf);
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ol>
        {members.map((member, at) => {
          const others = members.filter((_, index) => index !== at);
          const name = memberName(member);
          return (
            <li key={at}>
              {props.edit(member, (next) => onChange(members.with(at, next)))}
              {at > 0 && (
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Move ${name} to the front`}
                  onClick={() => onChange([member, ...others])}
                >
                  ↑
                </button>
              )}
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${name}`}
                onClick={() => onChange(others)}
              >
                <Icon name="close" />
              </button>
            </li>
          );
        })}
      </ol>
      <details class="column-tree">
        <summary>{props.action}</summary>
        {props.children}
        <AttributeTree
          dataclass={props.dataclass}
          prefix=""
          chosen={paths}
          isOffered={props.isOffered}
          leadsOn={props.leadsOn}
          onToggle={(path) =>
            onChange(
              paths.includes(path)
                ? members.filter((_, at) => paths[at] !== path)
                : [...members, added(path)],
            )
          }
        />
      </details>
    </section>
  );
}
