import { useState } from 'preact/hooks';
import { catalog } from '../catalog.ts';
import { relationTarget, type Attribute, type Dataclass } from '../rest/catalog.ts';
import { isRelation } from './columns.ts';

/** How many relations a path may lead over (limits.maxExpandDepth is 10; nobody looks for an attribute so far away). */
const MOST_RELATIONS = 4;

interface TreeProps {
  readonly dataclass: Dataclass;
  /** The path to the dataclass, with a dot at its end; empty for none. */
  readonly prefix: string;
  readonly chosen: readonly string[];
  /** Whether a path can be chosen; where it is left out, all can. */
  readonly isOffered?: (path: string, attribute: Attribute) => boolean;
  /** Whether the attributes behind a relation are shown; where it is left out, those of all are. */
  readonly leadsOn?: (path: string, relation: Attribute) => boolean;
  readonly onToggle: (path: string) => void;
}

const always = (): boolean => true;

/** The attributes of a dataclass to choose from; relations open like folders. */
export function AttributeTree({ dataclass, prefix, ...props }: TreeProps) {
  const { chosen, isOffered = always, leadsOn = always, onToggle } = props;
  const depth = prefix.split('.').length - 1;
  return (
    <ul class="plain">
      {dataclass.attributes.map((attribute) => {
        const { name, type } = attribute;
        const path = prefix + name;
        const isFolder =
          isRelation(attribute) && depth < MOST_RELATIONS && leadsOn(path, attribute);
        const isChoice = isOffered(path, attribute);
        if (!isFolder && !isChoice) return null;
        return (
          <li key={path}>
            {isChoice && (
              <label>
                <input
                  type="checkbox"
                  checked={chosen.includes(path)}
                  onChange={() => onToggle(path)}
                />
                {name} <span class="hint">{type}</span>
              </label>
            )}
            {isFolder && (
              <RelatedTree
                {...props}
                relation={attribute}
                path={path}
                title={isChoice ? 'of' : `${name}: of`}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The attributes behind a relation, drawn when they are asked for: relations lead back. */
function RelatedTree({
  relation,
  path,
  title,
  ...props
}: Omit<TreeProps, 'dataclass' | 'prefix'> & {
  relation: Attribute;
  path: string;
  title: string;
}) {
  const [isOpen, setIsOpen] = useState(props.chosen.some((one) => one.startsWith(`${path}.`)));
  const target = catalog.value === null ? undefined : relationTarget(relation, catalog.value);
  if (target === undefined) return null;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {title} {target.name}
        {relation.kind === 'relatedEntities' && ' (many)'}
      </summary>
      {isOpen && <AttributeTree {...props} dataclass={target} prefix={`${path}.`} />}
    </details>
  );
}
